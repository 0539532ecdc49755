

def made(**options):
    """The kernel over the mesh: one block of threads, one warpgroup, on each GPU."""
    devices = math.prod(MESH.values())
    written = [*OUTPUTS.values(), *WORKSPACES.values()]
    call = plgpu.kernel(kernel, out_type=[jax.ShapeDtypeStruct(shape, type) for shape, _, type in written], **options)
    mesh = Mesh(np.array(jax.devices()[:devices]).reshape(tuple(MESH.values()) or (1,)), tuple(MESH) or ("one",))
    whole = PartitionSpec(mesh.axis_names)
    return jax.jit(jax.shard_map(call, mesh=mesh, in_specs=whole, out_specs=whole, check_vma=False))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lower", action="store_true", help="lower it for GPUs and stop: needs no GPU")
    parser.add_argument("--interpret", action="store_true",
                        help="run it under JAX's GPU interpreter, which has no peers and no semaphores: needs no GPU")
    asked = parser.parse_args()
    devices = math.prod(MESH.values())
    arrays = [jnp.asarray(np.concatenate([filled(0, first_on(d, same_over), place, shape) for d in range(devices)]), dtype)
              for shape, _, same_over, place in INPUTS.values()]
    if asked.lower:
        text = made().trace(*arrays).lower(lowering_platforms=("cuda",)).as_text()
        print(json.dumps({"kernel": KERNEL, "lowered": "mosaic_gpu" in text, "bytes": len(text)}))
        return
    options = {}
    if asked.interpret:
        from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
        options["interpret"] = InterpretGPUParams(detect_races=True)
    results = made(**options)(*arrays)
    sums = {name: [zlib.crc32(np.asarray(part, np.float32).tobytes())
                   for part in np.split(np.asarray(result, np.float32), devices)]
            for name, result in zip(OUTPUTS, results)}
    same = None if EXPECTED is None else sums == EXPECTED
    print(json.dumps({"kernel": KERNEL, "same_arrays": same}))
    sys.exit(3 if same is False else 0)


if __name__ == "__main__":
    main()
