"""Moves, a mesh, donation, collectives and replicas on four devices. Every sharding is given, so that no compiler chooses one."""

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import mlir
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mlir._platforms_with_donation.append(jax.devices()[0].platform)
shard_map = jax.shard_map if hasattr(jax, "shard_map") else __import__("jax.experimental.shard_map").experimental.shard_map.shard_map


def read(*arrays):
    return [np.asarray(a) for a in arrays]


devices = jax.devices()
assert len(devices) >= 4, f"{len(devices)} devices"
moved = jax.device_put(jnp.arange(6.0), devices[1])
read(moved, jax.jit(lambda a: a * 3)(moved), jax.device_put(moved, devices[0]))

# Not in the order of the devices.
mesh = Mesh(np.array([devices[i] for i in (2, 0, 3, 1)]).reshape(2, 2), ("x", "y"))
rows, both, columns, whole = (NamedSharding(mesh, spec) for spec in (P("x"), P("x", "y"), P("y"), P()))
a = jax.device_put(np.arange(32, dtype=np.float32).reshape(4, 8), both)
b = jax.device_put(np.arange(16, dtype=np.float32).reshape(8, 2), columns)
read(*jax.jit(lambda p, q: (p @ q, q * 2), in_shardings=(both, columns), out_shardings=(rows, columns))(a, b))
read(jax.jit(lambda p: p + 1, in_shardings=both, out_shardings=whole)(a))
step = jax.jit(
    lambda p, s: (p - 0.5 * s, p.sum()), in_shardings=(both, whole), out_shardings=(both, whole), donate_argnums=0
)
for _ in range(3):
    a, total = step(a, jax.device_put(np.float32(0.25), whole))
read(a, total)

line = Mesh(np.array(devices[:4]), ("i",))
cut = NamedSharding(line, P("i"))
ring = lambda v: jax.lax.ppermute(v, "i", [(i, (i + 1) % 4) for i in range(4)]) + jax.lax.psum(v, "i")
ringed = jax.jit(shard_map(ring, mesh=line, in_specs=P("i"), out_specs=P("i")), in_shardings=cut, out_shardings=cut)
read(ringed(jax.device_put(np.arange(8, dtype=np.float32), cut)))
read(jax.pmap(lambda v: v / jax.lax.psum(v, "r"), axis_name="r")(jnp.arange(1.0, 5.0)))
