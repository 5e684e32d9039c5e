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
  process.send({ type: 'taken', id: message.id });
  socket?.end(
    `HTTP/1.1 101 Switching Protocols\r\nX-Client: ${message.request.client}\r\n\r\n${Buffer.from(message.head, 'base64')}`,
  );
});
process.once('disconnect', () => process.exit(0));
