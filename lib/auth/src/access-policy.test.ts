import { describe, expect, it } from 'vitest';
import { policyOf } from '../test/sample-service.ts';
import { isEmergency, type KnownCaller, parseSourceBinding, parseSubject, principalFor } from './access-policy.ts';

const policy = policyOf({
  'sample-providers': ['group:operators', 'certificate:console'],
  'sample-sources': ['certificate:sync-bcm=bcm', 'serviceaccount:sync/netbox=netbox', 'organization:racks=file'],
  'sample-emergency-accounts': ['serviceaccount:quartermaster/break-glass'],
});

const user = (name: string, ...groups: string[]): KnownCaller => ({ way: 'issuer', name, groups });
const account = (name: string): KnownCaller => ({
  way: 'service-account',
  name: `system:serviceaccount:${name}`,
  groups: ['system:serviceaccounts'],
});
const certificate = (name: string, ...groups: string[]): KnownCaller => ({ way: 'certificate', name, groups });

describe('role of a caller', () => {
  it.each<[string, KnownCaller, string]>([
    ['a member of the group admins', user('ann', 'admins', 'blue'), 'admin'],
    ['a member of a group of providers', user('ann', 'operators'), 'provider'],
    ['any other user', user('ann', 'blue'), 'tenant'],
    ['a certificate that is bound to a role', certificate('console'), 'provider'],
    ['a certificate that is bound to a source', certificate('sync-bcm'), 'sync'],
    ['a certificate of an organization that is bound to a source', certificate('anything', 'racks'), 'sync'],
    ['a service account that is bound to a source', account('sync:netbox'), 'sync'],
    ['an emergency account', account('quartermaster:break-glass'), 'admin'],
    ['any other service account', account('blue:default'), 'tenant'],
    ['a local token, as it says', { way: 'local', name: 'up', groups: [], role: 'admin' }, 'admin'],
  ])('%s', (_who, caller, role) => {
    expect(principalFor(caller, policy).role).toBe(role);
  });

  it('is the highest of several', () => {
    expect(principalFor(user('ann', 'blue', 'operators', 'admins'), policy).role).toBe('admin');
  });

  it.each<[string, KnownCaller]>([
    ['a user with the name of a certificate', user('sync-bcm', 'blue')],
    ['a user with the name of a service account', user('system:serviceaccount:quartermaster:break-glass', 'blue')],
    ['a local token with the group of administrators', { way: 'local', name: 'x', groups: ['admins'], role: 'tenant' }],
    ['a service account in a namespace with the name of that group', account('admins:default')],
  ])('is not given to %s', (_who, caller) => {
    expect(principalFor(caller, policy).role).toBe('tenant');
  });

  it('is none for a certificate that nobody bound', () => {
    expect(() => principalFor(certificate('stranger', 'blue'), policy)).toThrow(/certificate:stranger in sample-admins/);
  });

  it('is none for a user without a group', () => {
    expect(() => principalFor(user('ann'), policy)).toThrow(/ann has no role here and belongs to no tenant: have it added to a group/);
    expect(() => principalFor(user('ann', 'shared', 'system', 'guest'), policy)).toThrow(
      expect.objectContaining({ code: 'permission_denied' }),
    );
  });

  it('is none for whom two sources claim', () => {
    const confused = policyOf({ 'sample-sources': ['certificate:c=a', 'organization:o=b'] });
    expect(() => principalFor(certificate('c', 'o'), confused)).toThrow(/bound to the sources a, b/);
    expect(principalFor(certificate('c', 'p'), confused)).toMatchObject({ role: 'sync', source: 'a' });
  });

  it('of a local token for a source needs the source', () => {
    expect(() => principalFor({ way: 'local', name: 'x', groups: [], role: 'sync' }, policy)).toThrow(/and no source/);
  });
});

describe('what a role brings', () => {
  it('an administrator sees everything and reads secrets', () => {
    expect(principalFor(user('ann', 'admins'), policy)).toEqual({
      name: 'ann',
      role: 'admin',
      visibleTenants: 'all',
      assignableTenants: 'all',
      defaultTenants: ['shared'],
      mayReadSecrets: true,
    });
  });

  it('a provider reads no secrets, and neither does a synchronizer', () => {
    expect(principalFor(user('ann', 'operators'), policy)).toMatchObject({
      visibleTenants: 'all',
      mayReadSecrets: false,
    });
    expect(principalFor(certificate('sync-bcm'), policy)).toMatchObject({ source: 'bcm', mayReadSecrets: false });
  });

  it('a tenant has its groups, but no reserved one', () => {
    expect(principalFor(user('ann', 'blue', 'shared', 'red', 'blue', 'system'), policy)).toEqual({
      name: 'ann',
      role: 'tenant',
      visibleTenants: ['blue', 'red', 'shared'],
      assignableTenants: ['blue', 'red'],
      defaultTenants: ['blue', 'red'],
      mayReadSecrets: false,
    });
  });

  it('a service account has its namespace', () => {
    expect(principalFor(account('blue:default'), policy)).toMatchObject({ defaultTenants: ['blue'], visibleTenants: ['blue', 'shared'] });
    expect(() => principalFor(account('system:default'), policy)).toThrow(/serviceaccount:namespace\/name/);
  });

  it('a service account of a namespace in which others run what they like has no tenant, and a role only by name', () => {
    for (const namespace of ['lodgers', 'lodger-', 'lodger-amy-7-1-1'])
      expect(() => principalFor(account(`${namespace}:web`), policy)).toThrow(
        `system:serviceaccount:${namespace}:web has no role here and belongs to no tenant, as no account of lodgers, lodger-* does: give it a role: serviceaccount:namespace/name in`,
      );
    for (const namespace of ['lodgers2', 'lodger', 'a-lodger-1'])
      expect(principalFor(account(`${namespace}:web`), policy)).toMatchObject({ defaultTenants: [namespace] });
    const trusted = policyOf({ 'sample-providers': ['serviceaccount:lodger-1/web'] });
    expect(principalFor(account('lodger-1:web'), trusted).role).toBe('provider');
    expect(principalFor(user('ann', 'lodger-1'), policy)).toMatchObject({ defaultTenants: ['lodger-1'] });
  });

  it('a token of a role that the service does not have brings nothing', () => {
    for (const role of ['bidder', 'constructor'])
      expect(() => principalFor({ way: 'local', name: 'x', groups: ['blue'], role }, policy)).toThrow(
        `the role ${role}, which does not exist here`,
      );
  });

  it('an account is one for emergencies only while it is no administrator anyway', () => {
    const caller = account('quartermaster:break-glass');
    expect(isEmergency(caller, policy)).toBe(true);
    const both = ['serviceaccount:quartermaster/break-glass'];
    expect(isEmergency(caller, policyOf({ 'sample-admins': both, 'sample-emergency-accounts': both }))).toBe(false);
    expect(isEmergency(caller, policyOf({ 'sample-providers': both, 'sample-emergency-accounts': both }))).toBe(true);
    expect(isEmergency(user('ann', 'admins'), policy)).toBe(false);
  });
});

describe('settings of access', () => {
  it.each(['alice', 'robot:x', 'user:', 'serviceaccount:x', 'serviceaccount:a/b/c', ''])('refuse the subject "%s"', (text) => {
    expect(parseSubject(text)).toBeUndefined();
    expect(() => policyOf({ 'sample-admins': [text] })).toThrow(/must be user:NAME/);
  });

  it.each(['certificate:x', 'certificate:x=', 'certificate:x=Not A Name', '=bcm'])('refuse the binding "%s"', (text) => {
    expect(parseSourceBinding(text)).toBeUndefined();
    expect(() => policyOf({ 'sample-sources': [text] })).toThrow(/must be SUBJECT=SOURCE/);
  });

  it('take names with colons and equal signs', () => {
    expect(parseSubject('group:a:b')).toEqual({ kind: 'group', name: 'a:b' });
    expect(parseSourceBinding('certificate:a=b=bcm')).toEqual({ subject: { kind: 'certificate', name: 'a=b' }, source: 'bcm' });
    expect(parseSourceBinding('certificate:a=bcm.dc_1')).toMatchObject({ source: 'bcm.dc_1' });
  });

  it('refuse an issuer that others could pretend to be', () => {
    expect(() => policyOf({ 'sample-issuers': ['http://issuer.example.com'] })).toThrow(/must be an https address/);
    expect(() => policyOf({ 'sample-issuers': ['https://issuer.example.com', 'http://127.0.0.1:8080'] })).not.toThrow();
  });
});
