// Runs starts that are expected to fail in one process: loading the program takes longer than most of them take to fail.
import { Writable } from 'node:stream';
import { run } from '../../dist/cli/main.js';

// The logger of every start adds a listener for the exit of the process.
process.setMaxListeners(0);

process.on('message', async ({ id, env }) => {
  let said = '';
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      said += chunk;
      done();
    },
  });
  const { stdin, stdout } = process;
  const code = await run(['serve'], { env, cwd: process.cwd(), stdin, stdout, stderr });
  process.send({ id, code, said });
});
