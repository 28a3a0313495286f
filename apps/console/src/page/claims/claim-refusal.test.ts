import { refusalReasons } from '@quartermaster/api/states';
import { describe, expect, it } from 'vitest';
import type { Host } from '../hosts/host.ts';
import { claimRefusal, refusalRules } from './claim-refusal.ts';

const bmc = { url: 'https://bmc.example.com', user: 'root', insecure: false };

const host = (change: Partial<Host> = {}): Host => ({
  id: 'h',
  metadata: { name: 'h', tenants: [], version: '1' },
  spec: { class: 'gpu', bmc, boot_mac: 'b8:3f:d2:00:00:01' },
  status: { state: 'HOST_STATE_READY' },
  ...change,
});

describe('why a host cannot be claimed', () => {
  it('is nothing for one that is free', () => {
    expect(claimRefusal(host())).toBeUndefined();
    expect(claimRefusal(host({ status: undefined }))).toBeUndefined();
  });

  it.each([
    [{ status: { cluster: 'c' } }, /^a cluster has it/],
    [{ status: { host_pool: 'spare' } }, /host pool spare/],
    [{ spec: {} }, /no class/],
    [{ status: { state: 'HOST_STATE_FAILED' } }, /failed/],
    [{ status: { state: 'HOST_STATE_PROGRESSING' } }, /in progress/],
    [{ status: { conditions: [{ type: 'HOST_CONDITION_TYPE_DISPUTED', status: 'CONDITION_STATUS_TRUE' }] } }, /disputed/],
    [{ spec: { class: 'gpu', boot_mac: 'b8:3f:d2:00:00:01' } }, /management controller/],
    [{ spec: { class: 'gpu', bmc } }, /boot from/],
  ] satisfies [Partial<Host>, RegExp][])('is said for %j', (change, words) => {
    expect(claimRefusal(host(change))).toMatch(words);
  });

  it('is told in the order of the service, but for the class: whose a host is matters more', () => {
    const inOrder = (reasons: readonly string[]) => reasons.filter((reason) => reason !== 'OTHER_CLASS' && reason !== 'OTHER_HUB');
    expect(inOrder(Object.keys(refusalRules))).toEqual(inOrder(refusalReasons));
  });
});
