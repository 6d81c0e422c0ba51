"""Dumps PyTorch modules by the snippet of the documentation: `dump_cases.py DIRECTORY`."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "examples", "programs"))

import torch
from dump_torch import dump_torch_program

DIRECTORY = sys.argv[1]
torch.manual_seed(0)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)
        self.register_buffer("offset", torch.arange(3.0))

    def forward(self, x, unused):
        return torch.softmax(self.layer(x) * 2.5 + self.offset, -1), {"sum": x.sum()}


dump_torch_program(DIRECTORY, "torch_model", Model(), torch.randn(2, 4), torch.randn(5))
dump_torch_program(
    DIRECTORY, "torch_bf16", Model().to(torch.bfloat16), torch.randn(2, 4).bfloat16(), torch.randn(5).bfloat16(), text=False
)
dump_torch_program(DIRECTORY, "torch_integers", lambda x: x.cumsum(0), torch.arange(6), artifact=False)
