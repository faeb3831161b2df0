# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium through its DevTools pipe: pages at a width, in light or dark, with or without scripts."""
import base64
import fcntl
import json
import os
import signal
import subprocess
import time


class Chromium:
    """One browser with one page. Use it in a `with` statement."""

    def __init__(self, profile):
        read_commands, self._commands = os.pipe()
        self._replies, write_replies = os.pipe()

        def at_3_and_4():  # where Chromium looks for the pipe
            ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (read_commands, write_replies)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=at_3_and_4, close_fds=False, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_replies)
        self._buffer, self._next, self._events, self.errors = b"", 0, [], []
        self._session = None
        pages = self._send("Target.getTargets")["targetInfos"]
        target = next(page["targetId"] for page in pages if page["type"] == "page")
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._send(domain + ".enable")
        self._send("Emulation.setFocusEmulationEnabled", enabled=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """With its helpers, which outlive it for a moment and go on writing to the profile."""
        group = self._process.pid
        os.killpg(group, signal.SIGKILL)
        self._process.wait()
        until = time.monotonic() + 5
        try:
            while time.monotonic() < until:
                os.killpg(group, 0)
                time.sleep(0.02)
        except ProcessLookupError:
            pass

    def _receive(self):
        while b"\0" not in self._buffer:
            chunk = os.read(self._replies, 1 << 20)
            if not chunk:
                raise RuntimeError("Chromium ended")
            self._buffer += chunk
        message, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(message)
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"]["exception"].get("description", str(params)))
        elif method == "Runtime.consoleAPICalled":
            self.errors.append(str(params["args"]))
        elif method == "Log.entryAdded":
            self.errors.append(params["entry"]["text"])
        if method:
            self._events.append(method)
        return message

    def _send(self, method, **params):
        self._next += 1
        message = {"id": self._next, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._receive()
            if reply.get("id") == self._next:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return reply["result"]

    def open(self, path, fragment="", width=1400, height=900, dark=False, scripts=True):
        """Loads the file anew; `errors` then has what it wrote to the console."""
        self._send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                   mobile=False)
        self._send("Emulation.setEmulatedMedia",
                   features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self._send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self._go("about:blank")  # else another fragment would be the same page
        self.errors = []
        self._go(f"file://{path}{fragment}")

    def _go(self, address):
        self._events = []
        self._send("Page.navigate", url=address)
        while "Page.loadEventFired" not in self._events:
            self._receive()

    def value(self, expression):
        """Of JavaScript in the page; a promise is waited for."""
        result = self._send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def type(self, text):
        """Into what has the focus, as a keyboard does."""
        self._send("Input.insertText", text=text)

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self._send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                       **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))

    def screenshot(self, path, whole=True):
        """The whole page, or what a window shows."""
        image = self._send("Page.captureScreenshot", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))
