import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { HubConditionType, HubSchema } from '@quartermaster/api/private';
import { redacted } from '@quartermaster/objects';
import { describe, expect, it } from 'vitest';
import { hubRules as rulesOf } from './hub-rules.ts';
import { ReferencePolicy } from './reference-policy.ts';

const hubRules = rulesOf(new ReferencePolicy({ directories: ['/'], secrets: [] }));

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
    expect(hubRules.onUpdate(values, both, new Map())).toEqual({
      object: create(HubSchema, { kubeconfigRef: ref, pullSecretRef: ref }),
      violations: [],
    });
    const references = create(HubSchema, { kubeconfigRef: ref, pullSecretRef: ref });
    expect(hubRules.onUpdate(references, both, new Map())).toEqual({ object: values, violations: [] });
  });

  it('refers to what the settings allow, and keeps what is stored until it is written anew', () => {
    const strict = rulesOf(new ReferencePolicy({ directories: ['/run/hubs'], secrets: ['hubs/*'] }));
    const file = (value: string) => create(HubSchema, { kubeconfigRef: { source: { case: 'file', value } } });
    expect(strict.onCreate(file('/run/hubs/east'), new Map()).violations).toEqual([]);
    expect(strict.onCreate(file('/etc/shadow'), new Map()).violations).toMatchObject([{ field: 'kubeconfig_ref.file' }]);
    expect(strict.onUpdate(file('/etc/shadow'), file('/etc/shadow'), new Map()).violations).toEqual([]);
    expect(strict.onUpdate(file('/run/hubs/east'), file('/etc/shadow'), new Map()).violations).toHaveLength(1);
  });

  it('keeps the condition of a stored kubeconfig until another one is stored', () => {
    const conditions = [{ type: HubConditionType.CREDENTIALS_UNUSABLE, reason: 'KubeconfigRefused' }];
    const stored = create(HubSchema, { kubeconfig: bytes(redacted), status: { conditions } });
    const renamed = create(HubSchema, { ...stored, namespace: 'other' });
    expect(hubRules.onUpdate(stored, renamed, new Map()).object.status?.conditions).toHaveLength(1);
    const replaced = create(HubSchema, { kubeconfig: bytes(kubeconfig), status: { conditions } });
    expect(hubRules.onUpdate(stored, replaced, new Map()).object.status).toBeUndefined();
  });
});
