#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Debian package of a build, reads it with lintian, installs it on a bare Debian 12 and runs it there; as root:
#   test_deb.sh [BUILD] [CHROOT]     default build/release, and a new folder that is removed afterwards; of build/cli the
#                                    package without a window
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
root=${2:-}
fail() { echo "test_deb: $1" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || fail "must run as root (chroot)"

folder=$(mktemp -d)
[ -n "$root" ] || root=$folder/root
leave() {
  ! mountpoint -q "$root/proc" || umount "$root/proc"
  rm -rf --one-file-system "$folder"
}
trap leave EXIT

(cd "$build" && cpack -G DEB -B "$folder" >"$folder/cpack.log" 2>&1) || { cat "$folder/cpack.log"; fail "cpack"; }
deb=$(ls "$folder"/*.deb)
package=$(dpkg-deb -f "$deb" Package)
window=true
[ "$package" = shardscope ] || window=false
echo "package: $(basename "$deb"), $(stat -c %s "$deb") bytes; installed: $(dpkg-deb -f "$deb" Installed-Size) KiB"
echo "depends: $(dpkg-deb -f "$deb" Depends)"
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error,warning "$deb" || fail "lintian"
fi

[ -x "$root/bin/sh" ] || debootstrap --variant=minbase bookworm "$root" >"$folder/debootstrap.log" 2>&1 || fail "debootstrap"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
cp "$deb" "$root/tmp/shardscope.deb"
inside() { env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
inside apt-get update -qq
inside apt-get install -y -qq --no-install-recommends /tmp/shardscope.deb >"$folder/apt.log" 2>&1 || { tail "$folder/apt.log"; fail "apt-get install"; }

version=$(inside shardscope --version)
[ "$version" = "shardscope $(dpkg-deb -f "$deb" Version)" ] || fail "it says $version"
inside shardscope doctor
inside shardscope run teaching --strategy wang.os --db /tmp/w.shardscope --json | grep -q '"allclose": true' || fail "run"
made=(ring.svg) files=(man/man1/shardscope.1.gz bash-completion/completions/shardscope zsh/vendor-completions/_shardscope
  "doc/$package/copyright" "doc/$package/changelog.gz")
inside shardscope render --db /tmp/w.shardscope --run 1 --view ring -o /tmp/ring.svg
if $window; then
  inside shardscope render --db /tmp/w.shardscope --run 1 --view ring -o /tmp/ring.png
  inside shardscope compare --db /tmp/w.shardscope --runs 1 --format pdf -o /tmp/r.pdf
  inside shardscope --screenshot /tmp/window.png --preset teaching
  made+=(ring.png r.pdf window.png)
  files+=(applications/shardscope.desktop mime/packages/shardscope.xml
    metainfo/io.github.shardscope.shardscope.metainfo.xml icons/hicolor/scalable/apps/shardscope.svg)
fi
for file in "${made[@]}"; do [ -s "$root/tmp/$file" ] || fail "no $file"; done
listing=$(dpkg-deb -c "$deb")
for file in "${files[@]}"; do
  grep -q "/usr/share/$file\$" <<<"$listing" || fail "the package has no $file"
done
inside apt-get purge -y -qq "$package" >/dev/null
while read -r file; do
  [ ! -e "$root/$file" ] || fail "purge leaves $file"
done < <(awk '{print $6}' <<<"$listing" | grep -v '/$')
echo "test_deb: installed, ran and removed on a bare Debian 12"
