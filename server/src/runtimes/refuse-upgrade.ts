import type { Socket } from 'node:net';

const phrases = { 429: 'Too Many Requests', 503: 'Service Unavailable' };

/** Time for a refusal to leave before the socket is closed without it. */
const refuseMs = 2000;

/**
 * Answers an upgrade with an HTTP error and closes the socket. `end()` alone would keep it: the socket is half-open, and nothing reads the
 * end of the client's side.
 */
export function refuseUpgrade(socket: Socket, status: keyof typeof phrases, retryAfterSeconds: number): void {
  if (socket.destroyed) return;
  const late = setTimeout(() => socket.destroy(), refuseMs);
  socket.once('close', () => clearTimeout(late));
  socket.once('finish', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${phrases[status]}\r\nConnection: close\r\nRetry-After: ${retryAfterSeconds}\r\nContent-Length: 0\r\n\r\n`,
  );
}
