import type { Socket } from 'node:net';

const phrases = { 429: 'Too Many Requests', 503: 'Service Unavailable' };

/** Maximum milliseconds to write the response before the socket is destroyed. */
const refuseMs = 2000;

/**
 * Answers an upgrade with an HTTP error and closes the socket. `end()` alone would leave it half-open, because
 * nothing reads the client's side until its end.
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
