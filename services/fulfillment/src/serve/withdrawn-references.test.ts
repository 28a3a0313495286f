import { create, toBinary } from '@bufbuild/protobuf';
import * as priv from '@quartermaster/api/private';
import type { PrincipalIdentity } from '@quartermaster/auth';
import { FakeClock } from '@quartermaster/kernel';
import { privateWatch, type WatchAnswer } from '@quartermaster/objects';
import type { CallContext } from '@quartermaster/rpc';
import { type Change, encodeChangeBody } from '@quartermaster/store';
import { KeyRing } from '@quartermaster/store/key-ring';
import { expect, it } from 'vitest';
import { createKinds } from '../kinds/kinds.ts';
import { ReferencePolicy } from '../rules/reference-policy.ts';

const passwordRef = { source: { case: 'kubernetesSecret', value: { namespace: 'bmc', name: 'h', key: 'k' } } } as const;
const host = create(priv.HostSchema, { id: 'h', spec: { bmc: { url: 'redfish://192.0.2.1', passwordRef } } });
const change: Change = {
  ...{ token: '1', kind: 'hosts', at: new Date(0), type: 'created', objectId: 'h', version: 0n },
  ...{ tenantsBefore: [], tenantsAfter: ['shared'] },
  body: encodeChangeBody({ object: toBinary(priv.HostSchema, host) }),
};
const identity: PrincipalIdentity = {
  ...{ kind: 'token', name: 'admin', groups: [] },
  principal: { name: 'admin', role: 'admin', visibleTenants: 'all', assignableTenants: 'all', defaultTenants: [], mayReadSecrets: true },
};
const context: CallContext = {
  ...{ method: 'watch', transport: 'grpc', peer: '192.0.2.7:1', identity },
  header: () => undefined,
  signal: new AbortController().signal,
};

it('a change that one watch was told is told to a later one without a reference that the settings have withdrawn since', async () => {
  const references = new ReferencePolicy({ directories: [], secrets: ['bmc/*'] });
  const clock = new FakeClock();
  const watch = privateWatch({
    // One change in memory for all watches, as the feed has it.
    changes: {
      async *read() {
        yield change;
      },
    },
    kinds: createKinds(KeyRing.parse(KeyRing.generate()), { references, clock }),
    contract: {
      event: priv.EventSchema,
      types: { created: priv.EventType.OBJECT_CREATED },
      answer: (parts: WatchAnswer<priv.Event>) => parts,
    },
    clock,
  });
  const told = async () => {
    const { value } = await watch({ token: '', bookmarks: false }, context).next();
    const payload = value?.event?.payload;
    if (payload?.case !== 'host') throw new Error('the watch did not tell of the host');
    return payload.value.spec?.bmc?.passwordRef;
  };
  expect(await told()).toMatchObject(passwordRef);
  references.update({ directories: [], secrets: [] });
  expect(await told()).toBeUndefined();
});
