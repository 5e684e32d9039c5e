import Fastify from 'fastify';

/** The floor: parses the same body and returns a constant response of the size of a launch. */
const app = Fastify();
const answer = process.env.ANSWER ?? '';
app.post('/v1/sessions', async (_request, reply) =>
  reply.code(201).type('application/json; charset=utf-8').send(answer),
);
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
