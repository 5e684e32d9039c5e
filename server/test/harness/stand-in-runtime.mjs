// A fake runtime process that implements only the channel to the service. BEHAVIOUR selects a failure.
const behaviour = process.env.BEHAVIOUR;
const sockets = [];
process.stderr.write('{"msg":"stand-in loaded"}\n');

process.on('message', (message, socket) => {
  if (message.type === 'ping' && !behaviour.includes('silent')) process.send({ type: 'pong' });
  if (message.type === 'begin' && !behaviour.includes('never ready')) process.send({ type: 'ready' });
  if (message.type === 'metrics')
    process.send({ type: 'metrics', id: message.id, text: `pid ${process.pid}\n` });
  if (message.type === 'drain') process.exit(0);
  if (message.type !== 'upgrade' || behaviour.includes('takes nothing')) return;
  sockets.push(socket);
  setTimeout(() => take(message, socket), behaviour.includes('takes late') ? 1000 : 0);
});
function take({ id, request, head }, socket) {
  process.send({ type: 'taken', id });
  socket?.write(
    `HTTP/1.1 101 Switching Protocols\r\nX-Client: ${request.client}\r\n\r\n${Buffer.from(head, 'base64')}`,
  );
  // A conversation lasts, so that a test can see what else arrives on the socket.
  setTimeout(() => socket?.end(), behaviour.includes('keeps sockets') ? 3000 : 0);
}

process.once('disconnect', () => process.exit(0));
