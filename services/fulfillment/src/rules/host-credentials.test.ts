import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type BMCSchema, type Host, HostConditionType, HostSchema } from '@quartermaster/api/private';
import { redacted } from '@quartermaster/objects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withholdFromHost, withPasswordOfAddress } from './host-credentials.ts';
import { noReferences, ReferencePolicy } from './reference-policy.ts';

type Bmc = MessageInitShape<typeof BMCSchema>;

const url = 'redfish+https://10.0.0.1/redfish/v1/Systems/1';
const other = 'redfish+https://10.0.0.2/redfish/v1/Systems/1';
const passwordRef = { source: { case: 'file', value: '/p' } } as const;
const host = (bmc: Bmc | undefined, status: MessageInitShape<typeof HostSchema>['status'] = {}): Host =>
  create(HostSchema, bmc === undefined ? { spec: {}, status } : { spec: { bmc }, status });
const stored = host({ url, user: 'u', password: redacted });
const reasonsOf = (object: Host): (string | undefined)[] => object.status?.conditions.map(({ reason }) => reason) ?? [];

describe('the password of a management controller', () => {
  it.each([
    ['host', other],
    ['port', url.replace('10.0.0.1', '10.0.0.1:8443')],
    ['scheme', url.replace('+https', '+http')],
    ['whole address', ''],
  ])('goes with another %s, and the host says what to do', (_what, next) => {
    const after = withPasswordOfAddress(stored, host({ url: next, user: 'u', password: redacted }), false, 5_000);
    expect(after.spec?.bmc).toMatchObject({ url: next, user: 'u', password: '' });
    expect(after.status?.conditions).toMatchObject([
      { type: HostConditionType.CREDENTIALS_UNUSABLE, status: 1, reason: 'BmcAddressChanged', lastTransitionTime: { seconds: 5n } },
    ]);
    expect(after.status?.conditions[0]?.message).toContain('Set spec.bmc.password');
  });

  it.each([
    ['another path', url.replace('Systems/1', 'Systems/2')],
    ['other letters of the same host', url.replace('10.0.0.1', '10.0.0.1').replace('redfish+', 'REDFISH+')],
  ])('stays with %s', (_what, next) => {
    const wished = host({ url: next, password: redacted });
    expect(withPasswordOfAddress(stored, wished, false, 0)).toBe(wished);
  });

  it('goes when the verification of TLS is turned off, and stays when it is turned on', () => {
    const after = withPasswordOfAddress(stored, host({ url, password: redacted, insecure: true }), false, 0);
    expect([after.spec?.bmc?.password, reasonsOf(after)]).toEqual(['', ['BmcAddressChanged']]);
    const secured = host({ url, password: redacted });
    expect(withPasswordOfAddress(host({ url, password: redacted, insecure: true }), secured, false, 0)).toBe(secured);
  });

  it('goes when it was stored for no address and gets one', () => {
    const after = withPasswordOfAddress(host({ user: 'u', password: redacted }), host({ url, password: redacted }), false, 0);
    expect(after.spec?.bmc?.password).toBe('');
    expect(reasonsOf(after)).toEqual(['BmcAddressChanged']);
  });

  it('is taken with the new address where the same update brings one, or a reference', () => {
    for (const bmc of [
      { url: other, password: 'new' },
      { url: other, passwordRef },
    ]) {
      const wished = host(bmc);
      expect(withPasswordOfAddress(stored, wished, true, 0)).toBe(wished);
    }
  });

  it('goes with another address when it is a reference, unless the same update sends that', () => {
    const referring = host({ url, passwordRef });
    const gone = withPasswordOfAddress(referring, host({ url: other, passwordRef }), false, 0);
    expect(gone.spec?.bmc?.passwordRef).toBeUndefined();
    expect(reasonsOf(gone)).toEqual(['BmcAddressChanged']);
    expect(reasonsOf(withPasswordOfAddress(gone, host({ url: other, passwordRef }), true, 0))).toEqual([]);
    const sent = host({ url: other, passwordRef });
    expect(withPasswordOfAddress(referring, sent, true, 0)).toBe(sent);
    const renamed = host({ url, passwordRef, user: 'other' });
    expect(withPasswordOfAddress(referring, renamed, false, 0)).toBe(renamed);
  });

  it('is missed when a mask replaced the controller as a whole, and not when there is no controller any more', () => {
    expect(reasonsOf(withPasswordOfAddress(stored, host({ url: other }), false, 0))).toEqual(['BmcAddressChanged']);
    expect(reasonsOf(withPasswordOfAddress(stored, host(undefined), false, 0))).toEqual([]);
    expect(reasonsOf(withPasswordOfAddress(stored, host({ url }), false, 0))).toEqual([]);
  });

  it('stays missed whoever writes the conditions, back at the old address too, until one is set', () => {
    const dropped = withPasswordOfAddress(stored, host({ url: other, password: redacted }), false, 5_000);
    const known = dropped.status?.conditions ?? [];
    for (const bmc of [{ url: other }, { url }]) {
      const after = withPasswordOfAddress(dropped, host(bmc, { conditions: [{ type: HostConditionType.READY }] }), false, 9_000);
      expect(after.status?.conditions).toMatchObject([{ type: HostConditionType.READY }, { ...known[0] }]);
    }
    for (const bmc of [{ url: other, password: 'new' }, { url: other, passwordRef }, undefined]) {
      expect(reasonsOf(withPasswordOfAddress(dropped, host(bmc, { conditions: known }), false, 9_000))).toEqual([]);
    }
  });

  it('is not said to be missing by anybody else', () => {
    const forged = { conditions: [{ type: HostConditionType.CREDENTIALS_UNUSABLE, reason: 'BmcAddressChanged' }] };
    expect(reasonsOf(withPasswordOfAddress(stored, host({ url, password: redacted }, forged), false, 0))).toEqual([]);
    expect(reasonsOf(withPasswordOfAddress(undefined, host({ url }, forged), false, 0))).toEqual([]);
  });

  it('never comes to another address, by any number of updates', () => {
    const schemes = ['redfish+https', 'redfish+http', 'ipmi'];
    const urls = schemes.flatMap((scheme) => ['a', 'b', 'a:1'].map((place) => `${scheme}://${place}/x`));
    const updates = fc.array(
      fc.record({ url: fc.constantFrom('', ...urls), password: fc.constantFrom('', redacted, 'new'), hasBmc: fc.boolean() }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(updates, (steps) => {
        let current = stored;
        let givenFor = new URL(url); // the address of the update that brought the stored password
        for (const { url: next, password, hasBmc } of steps) {
          const wished = host(
            hasBmc ? { url: next, password: password === redacted ? (current.spec?.bmc?.password ?? '') : password } : undefined,
          );
          const after = withPasswordOfAddress(current, wished, false, 0);
          const bmc = after.spec?.bmc;
          if (bmc?.password === 'new' && next !== '') givenFor = new URL(next);
          if (bmc !== undefined && bmc.password === redacted) {
            const now = URL.parse(bmc.url);
            expect([now?.protocol, now?.host]).toEqual([givenFor.protocol, givenFor.host]);
          }
          // As the store keeps it; one that came without an address has none to compare.
          if (bmc?.password === 'new') bmc.password = next === '' ? '' : redacted;
          current = after;
        }
      }),
    );
  });
});

describe('a host that is handed out', () => {
  it('has no reference that the settings do not allow, and says so', () => {
    const policy = new ReferencePolicy(noReferences);
    const shown = host({ url, passwordRef });
    withholdFromHost(shown, policy);
    withholdFromHost(shown, policy);
    expect(shown.spec?.bmc?.passwordRef).toBeUndefined();
    expect(shown.status?.conditions).toMatchObject([{ type: HostConditionType.CREDENTIALS_UNUSABLE, reason: 'ReferenceNotAllowed' }]);
    const fine = host({ url, passwordRef });
    withholdFromHost(fine, new ReferencePolicy({ directories: ['/'], secrets: [] }));
    expect(fine).toEqual(host({ url, passwordRef }));
  });
});
