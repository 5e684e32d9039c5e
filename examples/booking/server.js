// A restaurant as a tool server: characters ask it for free tables and book them. Every call is verified with the tool secret of the
// project, so that other programs cannot book. Start it with TOOL_SECRET=whsec_… node server.js
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const { TOOL_SECRET: secret, PORT: port = '3100' } = process.env;
if (secret === undefined)
  throw new Error('set TOOL_SECRET to the secret of: session-launch tools secret prj_booking');
const webhook = new Webhook(secret);

const tables = 3;
/** Responses by the id of their call: a call that arrives twice books once. */
const answers = new Map();
const bookings = [];

const tools = {
  free_tables: ({ time }) => {
    const free = tables - bookings.filter((booking) => booking.time === time).length;
    const say = free === 0 ? `At ${time} everything is taken.` : `At ${time} there are ${free} tables free.`;
    return { time, free, say };
  },
  book_table: ({ people, time }, { sessionId }) => {
    if (bookings.filter((booking) => booking.time === time).length === tables)
      return { booked: false, say: `I am sorry, at ${time} everything is taken.` };
    const number = bookings.push({ sessionId, people, time });
    return {
      booked: true,
      number,
      say: `Your table for ${people} at ${time} is booked. It is number ${number}.`,
    };
  },
};

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const answer = (status, value) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
  try {
    // Throws if the signature or the time is wrong.
    webhook.verify(body, request.headers);
  } catch {
    answer(401, { error: 'The signature is wrong.' });
    return;
  }
  const { name, arguments: values, ...call } = JSON.parse(body);
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool === undefined) {
    answer(404, { error: 'There is no such tool.' });
    return;
  }
  const id = request.headers['webhook-id'];
  if (!answers.has(id)) answers.set(id, tool(values, call));
  answer(200, answers.get(id));
});

server.listen(Number(port), '127.0.0.1', () => {
  console.log(`Open http://127.0.0.1:${server.address().port}/`);
});
