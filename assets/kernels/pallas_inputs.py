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
