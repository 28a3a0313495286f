import { create } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import type { Host } from '@quartermaster/api/private';
import type { BesideObject } from '@quartermaster/store';

/** When its source last had a host: kept beside it, since it changes with every look. */
export const lastSeen: BesideObject<Host> = {
  sql: '(select last_seen from host_sources where host_id = hosts.id)',
  fill: ({ status }, seen) => {
    if (status?.source !== undefined) status.source.lastSeen = create(TimestampSchema, { ...seen });
  },
};
