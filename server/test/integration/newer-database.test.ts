import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/store/migrate.ts';
import { useService } from '../harness/service.ts';

const service = useService();

const rows = async () =>
  (
    (await service.database.orm.execute(
      sql`SELECT * FROM schema_migrations ORDER BY version`,
    )) as unknown as {
      rows: object[];
    }
  ).rows;

test('a database of a newer program is refused and not changed', async () => {
  await service.database.orm.execute(sql`INSERT INTO schema_migrations (version) VALUES (9999)`);
  onTestFinished(async () => {
    await service.database.orm.execute(sql`DELETE FROM schema_migrations WHERE version = 9999`);
  });
  const before = await rows();
  await expect(migrate(service.database, service.databaseUrl)).rejects.toThrow(
    /newer version of this program; start that version, or restore a backup/,
  );
  expect(await rows()).toEqual(before);
});
