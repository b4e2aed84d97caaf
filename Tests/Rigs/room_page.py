#!/usr/bin/env python3
"""A headless Chromium with the page of chat_room.py, driven by keys as a person would.

Usage: room_page.py CHROMIUM URL PICTURE
Reads commands from standard input, each a line of JSON: {"type": TEXT} types and sends a line, {"file": PATH} chooses a
file. Prints what the page shows, a line of JSON {"status": ..., "people": ..., "lines": [...]} whenever that has changed.
At the end of the input it writes PICTURE (PNG) and ends.
"""

import asyncio
import base64
import contextlib
import fcntl
import json
import os
import pathlib
import sys
import tempfile

chromium, url, picture = sys.argv[1:]
SHOWN = """JSON.stringify({status: get("status").textContent, people: get("people").textContent,
    lines: [...document.querySelectorAll("li")].map(item => ({
        sender: item.querySelector("b").textContent, text: item.querySelector("span").textContent}))})"""


class Browser:
    """Chromium's DevTools over a pair of pipes: JSON, each message ended by NUL."""

    def __init__(self):
        self.number = 0
        self.waiting = {}

    async def start(self, folder):
        to_browser, self.writer = os.pipe()
        self.reader, from_browser = os.pipe()

        def place():
            # The browser expects them at 3 and 4; what stands there now may be one of them.
            high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10) for descriptor in (to_browser, from_browser)]
            for descriptor, number in zip(high, (3, 4)):
                os.dup2(descriptor, number)

        self.process = await asyncio.create_subprocess_exec(
            chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--no-proxy-server", "--window-size=800,600",
            "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
            preexec_fn=place, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        stream = asyncio.StreamReader(limit=1 << 26)
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(self.reader, "rb"))
        self.following = asyncio.create_task(self.follow(stream))

    async def follow(self, stream):
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                message = json.loads((await stream.readuntil(b"\0"))[:-1])
                if waiting := self.waiting.pop(message.get("id"), None):
                    waiting.set_result(message)

    async def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        answer = self.waiting[self.number] = asyncio.get_running_loop().create_future()
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        answer = await asyncio.wait_for(answer, 60)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]


async def main():
    browser = Browser()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        await browser.start(folder)
        target = (await browser.call("Target.createTarget", url=url))["targetId"]
        session = (await browser.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]

        async def page(method, **parameters):
            return await browser.call(method, session, **parameters)

        async def value(expression):
            answer = await page("Runtime.evaluate", expression=expression)
            return answer["result"].get("value")

        async def watch():
            last = None
            while True:
                shown = await value(f"document.readyState === 'complete' ? {SHOWN} : null")
                if shown and shown != last:
                    print(shown, flush=True)
                    last = shown
                await asyncio.sleep(0.1)

        watching = asyncio.create_task(watch())
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            command = json.loads(line)
            if "type" in command:
                await value('get("line").focus()')
                await page("Input.insertText", text=command["type"])
                for kind in ("rawKeyDown", "char", "keyUp"):
                    await page("Input.dispatchKeyEvent", type=kind, key="Enter", text="\r", windowsVirtualKeyCode=13)
            else:
                root = (await page("DOM.getDocument"))["root"]["nodeId"]
                node = (await page("DOM.querySelector", nodeId=root, selector="#file"))["nodeId"]
                await page("DOM.setFileInputFiles", nodeId=node, files=[command["file"]])
        watching.cancel()
        image = (await page("Page.captureScreenshot", format="png"))["data"]
        pathlib.Path(picture).write_bytes(base64.b64decode(image))
        with contextlib.suppress(Exception):
            await browser.call("Browser.close")
        try:
            await asyncio.wait_for(browser.process.wait(), 20)
        except asyncio.TimeoutError:
            browser.process.kill()
            await browser.process.wait()


asyncio.run(main())
