import { randomUUID } from 'node:crypto';
import express from 'express';
import { AccessToken } from 'livekit-server-sdk';

/** LiveKit's recipe for a token server: Express and the SDK, without a database or authentication. */
const app = express();
app.use(express.json());
app.post('/v1/sessions', async (request, response) => {
  const { experienceId } = request.body as { experienceId?: string };
  const token = new AccessToken('key', 'a secret of at least thirty-two characters', {
    identity: randomUUID(),
    ttl: '10m',
  });
  token.addGrant({
    roomJoin: true,
    room: `${experienceId}-${randomUUID()}`,
    canPublish: true,
    canSubscribe: true,
  });
  response
    .status(201)
    .json({ serverUrl: 'wss://runtime.example.com', participantToken: await token.toJwt() });
});
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
