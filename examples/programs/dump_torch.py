"""Writes a PyTorch module as a program that pjrt-conformance runs, with its inputs and results (docs/own-programs.md).

    from dump_torch import dump_torch_program
    dump_torch_program("programs", "mlp", module, x)

writes the same files as dump_program.py: mlp.mlir, mlp.mlirbc, mlp.inputs.npz and mlp.outputs.npz. Weights and buffers of
the module are parameters of the program. Results are those of PyTorch on the CPU, without XLA.

Needs torch and torch_xla of the same version (tried: 2.9.0), with PJRT_DEVICE=CPU.
"""

import copy
import os

import numpy as np
import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch.utils import _pytree

__all__ = ["dump_torch_program"]


def dump_torch_program(directory, name, module, *args, artifact=True, text=True):
    """Writes `module(*args)`; module is a function or a torch.nn.Module, args are pytrees of tensors.

    An argument that the program does not use is no parameter of it. Returns the number of parameters and of results.
    """
    with torch.no_grad():
        outputs = _tensors(copy.deepcopy(module)(*_pytree.tree_map_only(torch.Tensor, torch.clone, args)))
        device = torch_xla.device()
        moved = copy.deepcopy(module)
        moved = moved.to(device) if isinstance(moved, torch.nn.Module) else moved
        results = _tensors(moved(*_pytree.tree_map_only(torch.Tensor, lambda t: t.to(device), args)))
        # The data that the traced results depend on, in the order of the parameters of their program.
        _, inputs = torch_xla._XLAC._get_tensors_xla_device_data_node(results)
        forms = {
            ".mlir": xm.get_stablehlo(results).encode() if text else None,
            ".mlirbc": xm.get_stablehlo_bytecode(results) if artifact else None,
        }
    shapes = [[tuple(tensor.shape) for tensor in tensors] for tensors in (outputs, results)]
    if shapes[0] != shapes[1]:
        raise ValueError(f"{name}: results of shapes {shapes[0]} on the CPU, {shapes[1]} in torch_xla")
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, name)
    for suffix, content in forms.items():
        if content is not None:
            with open(path + suffix, "wb") as file:
                file.write(content)
        elif os.path.exists(path + suffix):
            os.remove(path + suffix)
    _save(path + ".inputs.npz", "arg", [tensor.cpu() for tensor in inputs])
    _save(path + ".outputs.npz", "out", outputs)
    return len(inputs), len(outputs)


def _tensors(value):
    return [leaf for leaf in _pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def _save(path, prefix, tensors):
    if tensors:
        np.savez(path, **{f"{prefix}{i}": _array(tensor) for i, tensor in enumerate(tensors)})
    elif os.path.exists(path):
        os.remove(path)


def _array(tensor):
    """NumPy files have no names for bf16 and 8-bit floats: as bytes; the program says what they are."""
    tensor = tensor.detach().contiguous()
    try:
        return tensor.numpy()
    except TypeError:
        unsigned = {1: torch.uint8, 2: torch.uint16}[tensor.element_size()]
        return tensor.view(unsigned).numpy().view(np.dtype((np.void, tensor.element_size())))
