import { create, equals } from '@bufbuild/protobuf';
import { HostFactsSchema } from '@quartermaster/api/fulfillment-extras';
import { HostSchema } from '@quartermaster/api/private';
import { redacted } from '@quartermaster/objects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryMessage } from '../../test/arbitrary-message.ts';
import { hostWithFacts } from './host-with-facts.ts';

const password = (stored: string, given: string): string | undefined =>
  hostWithFacts(create(HostSchema, { spec: { bmc: { password: stored } } }), create(HostFactsSchema, { bmc: { password: given } }), 's')
    .spec?.bmc?.password;

describe('hostWithFacts', () => {
  it('touches what the facts name and nothing else', () => {
    const stored = create(HostSchema, {
      metadata: { name: 'old', labels: { mine: '1', gone: '2' }, annotations: { a: 'b' } },
      spec: { powerState: 1, title: 'By hand', rack: 'r1', bmc: { url: 'u', user: 'a' } },
      status: { state: 2, cluster: 'c' },
    });
    const facts = create(HostFactsSchema, { sourceId: 'x', name: 'new', rack: 'r2', labels: { gone: '', fresh: '3' } });
    expect(hostWithFacts(stored, facts, 'bcm')).toMatchObject({
      metadata: { name: 'new', labels: { mine: '1', fresh: '3' }, annotations: { a: 'b' } },
      spec: { powerState: 1, title: 'By hand', rack: 'r2', bmc: { url: 'u', user: 'a' } },
      status: { state: 2, cluster: 'c', source: { name: 'bcm', id: 'x' } },
    });
  });

  it('tells an empty value from an absent one', () => {
    const stored = create(HostSchema, { spec: { rack: 'r1', title: 't' } });
    expect(hostWithFacts(stored, create(HostFactsSchema, { rack: '' }), 's').spec).toMatchObject({ rack: '', title: 't' });
  });

  it('replaces the controller, but for a password that is absent', () => {
    expect(password(redacted, '')).toBe(redacted);
    expect(password(redacted, 'new')).toBe('new');
    expect(password('', 'new')).toBe('new');
    const reference = { source: { case: 'file', value: '/p' } } as const;
    const stored = create(HostSchema, { spec: { bmc: { password: redacted, user: 'a' } } });
    const after = hostWithFacts(stored, create(HostFactsSchema, { bmc: { passwordRef: reference } }), 's');
    expect(after.spec?.bmc).toMatchObject({ password: '', user: '', passwordRef: reference });
  });

  it('changes nothing when it is applied again, and not what it was given', () => {
    fc.assert(
      fc.property(arbitraryMessage(HostSchema), arbitraryMessage(HostFactsSchema), (stored, facts) => {
        const copy = structuredClone(stored);
        const once = hostWithFacts(stored, facts, 's');
        expect(equals(HostSchema, hostWithFacts(once, facts, 's'), once)).toBe(true);
        expect(structuredClone(stored)).toEqual(copy);
      }),
    );
  });
});
