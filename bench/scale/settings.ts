/** Settings of PostgreSQL for this benchmark. All others, such as those of autovacuum, have their defaults. */
export const scaleSettings: Record<string, string> = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  maintenance_work_mem: '512MB',
};
