"""The symbol graph of BLIPNet, which the compiler makes from a module that it has built: for the scripts that compare or show
what the library offers."""
import json
import pathlib
import shutil
import subprocess

root = pathlib.Path(__file__).resolve().parent.parent


class ToolFailure(Exception):
    """A tool of the toolchain has failed; the text is what it said."""


def toolchain(swift):
    """The folder of a toolchain's programs; `swift` is what starts its compiler."""
    return pathlib.Path(shutil.which(swift)).resolve().parent


def run(*command):
    """The output of a command."""
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode != 0:
        raise ToolFailure(f"{pathlib.Path(command[0]).name} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def extract(swift, modules, folder):
    """Writes the graphs of all public symbols to a folder. `modules` is the folder of the built modules."""
    tools = toolchain(swift)
    folder.mkdir(parents=True, exist_ok=True)
    target = json.loads(run(tools / "swiftc", "-print-target-info"))["target"]["unversionedTriple"]
    headers = [part for name in ("CLinux", "COpenSSL", "CZlib") for part in ("-I", root / "Sources" / name)]
    # Says "circular reference" about a module in perfect order; what it writes is complete.
    run(tools / "swift-symbolgraph-extract", "-module-name", "BLIPNet", "-target", target, "-I", modules, *headers,
        "-minimum-access-level", "public", "-output-dir", folder)


def load(folder):
    """Symbols and relationships of the module, with what it adds to types of other modules."""
    symbols, relationships = [], []
    for file in sorted(folder.glob("*.symbols.json")):
        graph = json.loads(file.read_text())
        symbols += graph["symbols"]
        relationships += graph["relationships"]
    return symbols, relationships


def convert(swift, graphs, archive, *options):
    """Makes an archive of the catalogue; a warning is a failure. Returns what docc says."""
    return run(toolchain(swift) / "docc", "convert", root / "Sources/BLIPNet/BLIPNet.docc", "--additional-symbol-graph-dir", graphs,
               "--output-dir", archive, "--warnings-as-errors", "--fallback-display-name", "BLIPNet",
               "--fallback-bundle-identifier", "blipchat.BLIPNet", *options)
