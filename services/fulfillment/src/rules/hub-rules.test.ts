import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { HubConditionType, HubSchema } from '@quartermaster/api/private';
import { redacted } from '@quartermaster/objects';
import { describe, expect, it } from 'vitest';
import { hubRules as rulesOf } from './hub-rules.ts';
import { ReferencePolicy } from './reference-policy.ts';

const nothingSent = { sends: () => false, secrets: new Map<string, Uint8Array>() };

const hubRules = rulesOf({ references: new ReferencePolicy({ directories: ['/'], secrets: [] }), clock: { now: () => 0 } });

type Init = MessageInitShape<typeof HubSchema>;

const violationsOf = (init: Init) => hubRules.validate(hubRules.normalise(create(HubSchema, init)));
const fieldsOf = (init: Init): string[] => violationsOf(init).map(({ field }) => field);
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqGqPkqFZ8oL0S3vJ1m3vQx2dZ7kq1oY8Jc9b3hC0Xa someone@example';
const kubeconfig = `apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://canary-host.example:6443"}}]
users: [{name: u, user: {token: canary-2}}]
`;

describe('a hub', () => {
  it('accepts what fits', () => {
    const init = { namespace: 'osac', ip: '192.0.2.1', sshPublicKey: `${key}\n`, pullSecret: '{"auths":{"quay.io":{"auth":"eA=="}}}' };
    expect(fieldsOf({ ...init, kubeconfig: bytes(kubeconfig) })).toEqual([]);
    expect(
      fieldsOf({
        kubeconfig: bytes(
          JSON.stringify({
            kind: 'Config',
            'current-context': 'a',
            contexts: [{ name: 'a' }],
            clusters: [{ name: 'c', cluster: { server: 'https://c.example' } }],
          }),
        ),
      }),
    ).toEqual([]);
    expect(fieldsOf({})).toEqual([]);
  });

  it('takes the mark of a secret for one', () => {
    expect(fieldsOf({ pullSecret: redacted, kubeconfig: new TextEncoder().encode(redacted) })).toEqual([]);
  });

  it.each([
    'canary-3',
    'ssh-ed25519',
    'ssh-ed25519 canary+3',
    'ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIJqGqPkqFZ8oL0S3vJ1m3vQx2dZ7kq1oY8Jc9b3hC0Xa',
  ])('refuses the SSH key "%s"', (sshPublicKey) => {
    expect(fieldsOf({ sshPublicKey })).toEqual(['ssh_public_key']);
  });

  it('recognises a private key, and does not repeat it', () => {
    const [violation] = violationsOf({ sshPublicKey: '-----BEGIN OPENSSH PRIVATE KEY-----\ncanary-4' });
    expect(violation?.description).toContain('is a private one');
    expect(violation?.description).not.toContain('canary-4');
  });

  it.each(['canary-5', '[]', '{}', '{"auths":[]}', '{"auths":{"quay.io":"canary-5"}}'])(
    'refuses the pull secret %s, and does not repeat it',
    (pullSecret) => {
      expect(fieldsOf({ pullSecret })).toEqual(['pull_secret']);
      expect(JSON.stringify(violationsOf({ pullSecret }))).not.toContain('canary-5');
    },
  );

  it.each([
    'canary-6',
    'kind: Pod',
    ': : :',
    kubeconfig.replace('current-context: here', 'current-context: canary-6'),
    kubeconfig.replace(/clusters: .*/, 'clusters: []'),
    'a: &a [x]\nb: [*a]\nkind: Config',
    'x'.repeat(300_000),
  ])('refuses a kubeconfig that is none (%#), and does not repeat it', (text) => {
    expect(fieldsOf({ kubeconfig: bytes(text) })).toEqual(['kubeconfig']);
    expect(JSON.stringify(violationsOf({ kubeconfig: bytes(text) }))).not.toContain('canary');
  });

  it('refuses a namespace and an address that are none', () => {
    expect(fieldsOf({ namespace: 'Not_This', ip: '192.0.2' })).toEqual(['namespace', 'ip']);
  });

  it('has each secret as a value or as a reference', () => {
    const ref = { source: { case: 'file', value: '/k' } } as const;
    const both = create(HubSchema, { kubeconfig: bytes('a'), kubeconfigRef: ref, pullSecret: 'b', pullSecretRef: ref });
    expect(hubRules.onCreate(both, new Map()).violations.map(({ field }) => field)).toEqual(['kubeconfig_ref', 'pull_secret_ref']);
    const values = create(HubSchema, { kubeconfig: bytes('a'), pullSecret: 'b' });
    expect(hubRules.onUpdate(values, both, new Map(), { ...nothingSent, sends: () => true })).toEqual({
      object: create(HubSchema, { kubeconfigRef: ref, pullSecretRef: ref }),
      violations: [],
    });
    const references = create(HubSchema, { kubeconfigRef: ref, pullSecretRef: ref });
    expect(hubRules.onUpdate(references, both, new Map(), nothingSent)).toEqual({ object: values, violations: [] });
  });

  it('refers to what the settings allow, and keeps what is stored until it is written anew', () => {
    const strict = rulesOf({
      references: new ReferencePolicy({ directories: ['/run/hubs'], secrets: ['hubs/*'] }),
      clock: { now: () => 0 },
    });
    const file = (value: string) => create(HubSchema, { kubeconfigRef: { source: { case: 'file', value } } });
    expect(strict.onCreate(file('/run/hubs/east'), new Map()).violations).toEqual([]);
    expect(strict.onCreate(file('/etc/shadow'), new Map()).violations).toMatchObject([{ field: 'kubeconfig_ref.file' }]);
    expect(strict.onUpdate(file('/etc/shadow'), file('/etc/shadow'), new Map(), nothingSent).violations).toEqual([]);
    expect(strict.onUpdate(file('/run/hubs/east'), file('/etc/shadow'), new Map(), nothingSent).violations).toHaveLength(1);
  });

  it('keeps the condition of a stored kubeconfig until another one is stored', () => {
    const conditions = [{ type: HubConditionType.CREDENTIALS_UNUSABLE, reason: 'KubeconfigRefused' }];
    const stored = create(HubSchema, { kubeconfig: bytes(redacted), status: { conditions } });
    const renamed = create(HubSchema, { ...stored, namespace: 'other' });
    expect(hubRules.onUpdate(stored, renamed, new Map(), nothingSent).object.status?.conditions).toHaveLength(1);
    const replaced = create(HubSchema, { kubeconfig: bytes(kubeconfig), status: { conditions } });
    expect(hubRules.onUpdate(stored, replaced, new Map(), nothingSent).object.status).toBeUndefined();
  });

  describe('whose kubeconfig is replaced', () => {
    const elsewhere = bytes(kubeconfig.replace('canary-host', 'canary-other'));
    const rotated = bytes(kubeconfig.replace('canary-2', 'canary-3'));
    const known = { sends: () => false, secrets: new Map([['kubeconfig', bytes(kubeconfig)]]) };
    const stored = create(HubSchema, { kubeconfig: bytes(redacted), pullSecret: redacted });
    const ref = { source: { case: 'file', value: '/k' } } as const;
    const updated = (before: Init, after: Init, update = known) =>
      hubRules.onUpdate(create(HubSchema, before), create(HubSchema, after), new Map(), update).object;

    it('keeps its pull secret while the server is the same', () => {
      expect(updated(stored, { kubeconfig: rotated, pullSecret: redacted })).toMatchObject({ pullSecret: redacted });
      expect(updated(stored, { kubeconfig: bytes(redacted), pullSecret: redacted, ip: '192.0.2.1' }).pullSecret).toBe(redacted);
    });

    it.each<readonly [string, Init]>([
      ['another server', { kubeconfig: elsewhere, pullSecret: redacted }],
      ['a reference', { kubeconfigRef: ref, pullSecret: redacted }],
    ])('loses its pull secret to %s, and says so until there is another one', (_what, after) => {
      const lost = updated(stored, after);
      expect(lost.pullSecret).toBe('');
      expect(lost.status?.conditions).toMatchObject([{ reason: 'HubServerChanged' }]);
      const later = create(HubSchema, { ...lost, namespace: 'other' });
      expect(updated(lost, later).status).toEqual(lost.status);
      expect(updated(lost, { ...later, pullSecret: '{"auths":{}}' }).status).toBeUndefined();
    });

    it('keeps what the same update brings, be it the reference that is stored', () => {
      expect(updated(stored, { kubeconfig: elsewhere, pullSecret: '{"auths":{}}' })).toMatchObject({ pullSecret: '{"auths":{}}' });
      const referring = { kubeconfig: bytes(redacted), pullSecretRef: ref };
      expect(updated(referring, { kubeconfig: elsewhere, pullSecretRef: ref }).pullSecretRef).toBeUndefined();
      const sent = updated(referring, { kubeconfig: elsewhere, pullSecretRef: ref }, { ...known, sends: () => true });
      expect(sent.pullSecretRef).toBeDefined();
      expect(sent.status).toBeUndefined();
    });
  });
});
