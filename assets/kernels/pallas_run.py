def bits(x):
    x = (x + np.uint64(0x9E3779B97F4A7C15)).astype(np.uint64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def filled(seed, device, buffer, shape):
    """0, 1 or -1, as shardscope kernel run fills its inputs."""
    with np.errstate(over="ignore"):
        stream = bits(bits(np.array([seed], np.uint64)) + np.uint64(device * 1000003 + buffer))
        numbers = bits(stream + np.arange(math.prod(shape), dtype=np.uint64)) >> np.uint64(33)
    return ((numbers.astype(np.int64) % 3) - 1).astype(np.float32).reshape(shape)


def first_on(device, axis):
    """The device whose numbers this one has too: the first along `axis`."""
    if axis is None or axis not in MESH:
        return device
    stride = math.prod(list(MESH.values())[list(MESH).index(axis) + 1:])
    return device - device // stride % MESH[axis] * stride


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mode", choices=["eager", "on_wait"], default="on_wait")
    asked = parser.parse_args()
    devices = math.prod(MESH.values())
    arrays = [np.concatenate([filled(asked.seed, first_on(d, same_over), place, shape) for d in range(devices)])
              for shape, _, same_over, place in INPUTS.values()]
    hbm = pl.BlockSpec(memory_space=pl.ANY)
    written = [*OUTPUTS.values(), *WORKSPACES.values()]
    call = pl.pallas_call(
        kernel,
        out_shape=[jax.ShapeDtypeStruct(shape, type) for shape, _, type in written],
        in_specs=[hbm if space == "hbm" else pl.BlockSpec(memory_space=pltpu.VMEM)
                  for _, space, _, _ in INPUTS.values()],
        out_specs=[hbm if space == "hbm" else pl.BlockSpec(memory_space=pltpu.VMEM)
                   for _, space, _ in written],
        scratch_shapes=list(SCRATCH.values()),
        compiler_params=pltpu.CompilerParams(collective_id=0),
        interpret=pltpu.InterpretParams(detect_races=True, dma_execution_mode=asked.mode,
                                        random_seed=asked.seed))
    mesh = Mesh(np.array(jax.devices()[:devices]).reshape(tuple(MESH.values()) or (1,)), tuple(MESH) or ("one",))
    whole = PartitionSpec(mesh.axis_names)
    run = jax.jit(jax.shard_map(call, mesh=mesh, in_specs=whole, out_specs=whole, check_vma=False))
    results = run(*(jnp.asarray(array, dtype) for array in arrays))
    sums = {name: [zlib.crc32(np.asarray(part, np.float32).tobytes())
                   for part in np.split(np.asarray(result, np.float32), devices)]
            for name, result in zip(OUTPUTS, results)}
    try:
        from jax._src.pallas.mosaic.interpret import interpret_pallas_call
        races = bool(interpret_pallas_call.races.races_found)
    except (ImportError, AttributeError):
        races = None
    same = None if EXPECTED is None or asked.seed != 0 else sums == EXPECTED
    print(json.dumps({"kernel": KERNEL, "races": races, "same_arrays": same}))
    sys.exit(3 if same is False or races else 0)


if __name__ == "__main__":
    main()
