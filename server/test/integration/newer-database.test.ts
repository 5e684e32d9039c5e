import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { useService } from '../harness/service.ts';

const service = useService();

const run = (text: string) => service.database.query('admin', { text });
const rows = () => run('SELECT * FROM schema_migrations ORDER BY version');

test('a database of a newer program is refused and not changed', async () => {
  await run('INSERT INTO schema_migrations (version) VALUES (9999)');
  onTestFinished(async () => {
    await run('DELETE FROM schema_migrations WHERE version = 9999');
  });
  const before = await rows();
  await expect(migrate(service.database, service.databaseUrl)).rejects.toThrow(
    /newer version of this program; start that version, or restore a backup/,
  );
  expect(await rows()).toEqual(before);
});
