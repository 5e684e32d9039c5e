// Stands in for the process with the model. The first sample of a turn selects the behaviour; the text is the number of samples.
const crash = -1;
const hang = -2;
const fail = -3;

process.on('disconnect', () => process.exit(0));
const running = new Set();
process.on('message', ({ id, samples }) => {
  if (samples === undefined) {
    if (running.delete(id)) process.send({ type: 'heard', id, text: '' });
    return;
  }
  const [what] = samples;
  if (what === crash) process.exit(1);
  if (what === hang) running.add(id);
  else if (what === fail) process.send({ type: 'heard', id, failure: 'no memory' });
  else process.send({ type: 'heard', id, text: `${samples.length} in ${process.pid}` });
});
if (process.argv[2] === 'broken') process.send({ type: 'broken', problem: 'a library is missing' });
else if (process.argv[2] === 'exits') process.exit(1);
else process.send({ type: 'ready' });
