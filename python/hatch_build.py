"""Adds the npm package, which tools/wheel has staged, to the wheel, and names the platform that it is for."""

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StagedPackage(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        try:
            staged, tag = os.environ["PJRT_CONFORMANCE_STAGED"], os.environ["PJRT_CONFORMANCE_TAG"]
        except KeyError as missing:
            raise SystemExit(f"{missing} is not set: build the wheel with `npm run build:wheel`") from missing
        build_data["force_include"][staged] = "pjrt_conformance/npm"
        build_data["pure_python"] = False
        build_data["tag"] = tag
