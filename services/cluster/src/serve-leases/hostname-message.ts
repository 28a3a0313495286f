import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ClaimedHostnameSchema } from '@quartermaster/api/cluster';
import type { ClaimedName } from '../hostnames/hostname-book.ts';
import { momentMessage } from '../serve/moment-message.ts';

export function hostnameMessage(name: ClaimedName, coolDownMs: number): MessageInitShape<typeof ClaimedHostnameSchema> {
  const { hostname, owner, lease, service, externalPort, state, since, isStatic } = name;
  const freeAt = state === 'Released' ? since + coolDownMs : undefined;
  const times = { since: momentMessage(since), freeAt: momentMessage(freeAt) };
  return { hostname, owner, lease, service, externalPort, state, ...times, isStatic };
}
