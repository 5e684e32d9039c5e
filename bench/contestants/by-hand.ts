import { createHash, randomUUID } from 'node:crypto';
import express from 'express';
import jwt from 'jsonwebtoken';
import pg from 'pg';

/** A minimal hand-written service: for each mint one key look-up in PostgreSQL, one INSERT and one JWT. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 });
await pool.query('CREATE TABLE IF NOT EXISTS keys (hash text PRIMARY KEY, project_id text NOT NULL)');
await pool.query(`CREATE TABLE IF NOT EXISTS minted (id uuid PRIMARY KEY, project_id text NOT NULL, experience_id text NOT NULL,
  locale text, created_at timestamptz NOT NULL DEFAULT now())`);
const apiKey = process.env.API_KEY ?? '';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
await pool.query('INSERT INTO keys VALUES ($1, $2) ON CONFLICT DO NOTHING', [sha256(apiKey), 'prj_bench']);
const template = JSON.parse(process.env.ANSWER ?? '{}') as { session: object; launch: object };

const app = express();
app.use(express.json());
app.post('/v1/sessions', async (request, response) => {
  const key = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  const { rows } = await pool.query('SELECT project_id FROM keys WHERE hash = $1', [sha256(key)]);
  if (rows.length === 0) return void response.status(401).json({ error: 'unauthorized' });
  const { experienceId, locale } = request.body as { experienceId?: unknown; locale?: unknown };
  if (typeof experienceId !== 'string')
    return void response.status(400).json({ error: 'experienceId is required' });
  const sessionId = randomUUID();
  await pool.query('INSERT INTO minted (id, project_id, experience_id, locale) VALUES ($1, $2, $3, $4)', [
    sessionId,
    rows[0].project_id,
    experienceId,
    typeof locale === 'string' ? locale : null,
  ]);
  const sessionToken = jwt.sign({ sub: sessionId, experienceId }, 'a shared secret', { expiresIn: 600 });
  response.status(201).json({
    session: { ...template.session, sessionId },
    launch: { ...template.launch, sessionId, sessionToken },
  });
});
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
