import type { MessageInitShape } from '@bufbuild/protobuf';
import type { TenantShellSchema } from '@quartermaster/api/cluster';
import type { ShellRecord } from '../gateway/journal/shell-record.ts';
import { momentMessage } from '../serve/moment-message.ts';
import { orderMessage } from '../serve/request-message.ts';

export function shellMessage({ lease, uid: _uid, openedAt, closedAt, ...said }: ShellRecord): MessageInitShape<typeof TenantShellSchema> {
  const times = { openedAt: momentMessage(openedAt), closedAt: momentMessage(closedAt) };
  return { ...said, order: orderMessage(lease), provider: lease.provider, ...times };
}
