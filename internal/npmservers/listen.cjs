// Preloaded into server-everything by StartHTTP. The server would listen on
// every interface, on a port that has to be chosen before it is known to be
// free, and outlive a test binary that was killed. With this it listens on a
// loopback port of the kernel's choice, says which, and ends with its stdin.
"use strict";
const net = require("node:net");

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (_port, ...rest) {
  this.once("listening", () => console.error(`npmservers: port ${this.address().port}`));
  return listen.call(this, 0, "127.0.0.1", ...rest);
};

process.stdin.on("close", () => process.exit(0)).resume();
