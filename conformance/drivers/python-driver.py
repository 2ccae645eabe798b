#!/usr/bin/env python3
"""A small MCP host in Python, and its driver: standard library only.

It shows that the driver protocol (docs/host-driver.md) needs no library and no particular language. The host is honest and naive:
it speaks 2025-11-25 over stdio, lists all pages, calls, and knows nothing of reconnecting, of changes, or of 2026-07-28.
"""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading

FEATURES = ["stdio", "legacy", "localNames", "addServer", "removeServer", "refresh", "stats"]


class HostError(Exception):
    def __init__(self, message, outcome=None):
        super().__init__(message)
        self.outcome = outcome


class Server:
    """One session with one server."""

    def __init__(self, spec):
        self.id = spec["id"]
        self.connect_seconds = spec["connectMs"] / 1000
        self.close_seconds = spec["closeMs"] / 1000
        self.tools = []
        self.error = None
        self._ids = itertools.count(1)
        self._waiting = {}
        self._lock = threading.Lock()
        transport = spec["transport"]
        self._process = subprocess.Popen(
            [transport["command"], *transport["args"]],
            cwd=transport.get("cwd"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def alive(self):
        return self._process.poll() is None

    def connect(self):
        self.request(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "python-driver", "version": "1.0.0"},
            },
            self.connect_seconds,
        )
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.list_tools()

    def list_tools(self):
        tools, params = [], {}
        for _ in range(100):
            page = self.request("tools/list", params, self.connect_seconds)
            tools += [tool for tool in page.get("tools", []) if is_tool(tool)]
            if "nextCursor" not in page:
                break
            params = {"cursor": page["nextCursor"]}
        self.tools = tools

    def request(self, method, params, seconds):
        ready = threading.Event()
        with self._lock:
            request_id = next(self._ids)
            self._waiting[request_id] = (ready, answer := {})
            self._write({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        in_time = ready.wait(seconds)
        with self._lock:
            self._waiting.pop(request_id, None)
        if not in_time:
            raise HostError(f"{self.id} did not answer {method} within {seconds} s", "unknown")
        if not answer:
            raise HostError(f"{self.id} ended during {method}", "unknown")
        if "error" in answer:
            raise HostError(f"{self.id} refused {method}: {json.dumps(answer['error'])}", "failed")
        if not isinstance(answer.get("result"), dict):
            raise HostError(f"{self.id} sent no result for {method}", "unknown")
        return answer["result"]

    def close(self):
        self._process.stdin.close()
        for end in (None, signal.SIGTERM, signal.SIGKILL):
            if end is not None:
                self._signal_group(end)
            try:
                self._process.wait(self.close_seconds)
                break
            except subprocess.TimeoutExpired:
                continue
        # What the server started may outlive it.
        self._signal_group(signal.SIGKILL)

    def _signal_group(self, number):
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            pass

    def _write(self, message):
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise HostError(f"{self.id} is gone", "not-sent") from error

    def _read(self):
        for line in self._process.stdout:
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict):
                self._receive(message)
        with self._lock:
            for ready, _ in self._waiting.values():
                ready.set()

    def _receive(self, message):
        request_id = message.get("id")
        with self._lock:
            if "method" in message:
                if request_id is not None:
                    error = {"code": -32601, "message": "Method not found"}
                    self._write({"jsonrpc": "2.0", "id": request_id, "error": error})
                return
            ready, answer = self._waiting.get(request_id if isinstance(request_id, int) else None, (None, None))
            if ready is not None:
                answer.update(message)
                ready.set()


def is_tool(tool):
    return isinstance(tool, dict) and isinstance(tool.get("name"), str) and isinstance(tool.get("inputSchema"), dict)


class Host:
    """The verbs of the protocol, one method each."""

    def __init__(self):
        self.servers = {}

    def hello(self, _):
        version = ".".join(map(str, sys.version_info[:3]))
        return {"protocol": 1, "name": "python-driver", "version": version, "features": FEATURES}

    def init(self, request):
        self.servers = {}
        threads = [threading.Thread(target=self._start, args=(spec,)) for spec in request["servers"]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {}

    def addServer(self, request):
        server = Server(request["spec"])
        try:
            server.connect()
        except HostError:
            server.close()
            raise
        self.servers[server.id] = server
        return {}

    def removeServer(self, request):
        server = self.servers.pop(request["serverId"], None)
        if server is not None:
            server.close()
        return {}

    def snapshot(self, _):
        servers = [{"id": server.id, "error": server.error or ""} for server in self._known()]
        tools = [
            {"name": name, "serverId": server.id, "remoteName": remote}
            for name, (server, remote) in self._routes().items()
        ]
        return {"tools": tools, "servers": servers}

    def call(self, request):
        route = self._routes().get(request["name"])
        if route is None:
            raise HostError(f"no tool {request['name']}", "not-sent")
        server, remote = route
        params = {"name": remote, "arguments": request["args"]}
        result = server.request("tools/call", params, request["timeoutMs"] / 1000)
        if not isinstance(result.get("content"), list):
            raise HostError(f"{server.id} sent a result without content", "unknown")
        return {key: result[key] for key in ("content", "structuredContent", "isError") if key in result}

    def refresh(self, _):
        for server in self._known():
            server.list_tools()
        return {}

    def events(self, _):
        return {"events": []}

    def stats(self, _):
        return {"children": sum(server.alive for server in self._known())}

    def close(self, _):
        servers, self.servers = self._known(), {}
        for server in servers:
            server.close()
        return {}

    def _start(self, spec):
        server = Server(spec)
        self.servers[server.id] = server
        try:
            server.connect()
        except HostError as error:
            server.error = str(error)

    def _known(self):
        return list(self.servers.values())

    def _routes(self):
        # A later tool of the same local name replaces an earlier one: one of the things that the kit finds.
        return {
            re.sub("[^a-zA-Z0-9_-]", "_", f"{server.id}_{tool['name']}")[:64]: (server, tool["name"])
            for server in self._known()
            for tool in server.tools
        }


def main():
    host, lock = Host(), threading.Lock()

    def answer(request):
        try:
            reply = {"ok": True, "value": getattr(host, request["verb"])(request)}
        except Exception as error:  # Whatever goes wrong in the host is the kit's to judge.
            outcome = getattr(error, "outcome", None)
            reply = {"ok": False, "error": {"message": str(error) or repr(error), **({"outcome": outcome} if outcome else {})}}
        with lock:
            print(json.dumps({"id": request["id"], **reply}), flush=True)

    for line in sys.stdin:
        threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()
    host.close({})


if __name__ == "__main__":
    main()
