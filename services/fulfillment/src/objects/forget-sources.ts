import type { BatchPart } from '@quartermaster/store';
import type { AlsoWrite } from './object-writer.ts';

const forgetPart: BatchPart = {
  name: 'forget-sources',
  sql: (rows) => `delete from host_sources as s using json_to_recordset(${rows}) as r(host_id text) where s.host_id = r.host_id`,
};

/** With a host goes what is known of its source: should the source still have it, it brings it in anew. */
export const forgetSources: AlsoWrite = async (_tx, batch, host, after) => {
  if (after === undefined) batch.add(forgetPart, { host_id: host.id });
};
