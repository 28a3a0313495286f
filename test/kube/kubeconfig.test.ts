import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type KubeconfigUser, kubeconfigYaml } from './kubeconfig.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const written = (user: KubeconfigUser): unknown =>
  parse(kubeconfigYaml({ server: 'https://127.0.0.1:1', certificateAuthority: 'CA', user }));

describe('kubeconfigYaml', () => {
  it('names one cluster, one user and one context', () => {
    const yaml = kubeconfigYaml({ server: 'https://127.0.0.1:1', certificateAuthority: 'CA', user: { token: 't' }, namespace: 'shop' });
    expect(parse(yaml)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'quartermaster', cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': base64('CA') } }],
      users: [{ name: 'quartermaster', user: { token: 't' } }],
      contexts: [{ name: 'quartermaster', context: { cluster: 'quartermaster', user: 'quartermaster', namespace: 'shop' } }],
      'current-context': 'quartermaster',
    });
  });

  it.each<[string, KubeconfigUser, object]>([
    ['a token file', { tokenFile: '/t' }, { tokenFile: '/t' }],
    [
      'an embedded certificate',
      { certificate: { certificate: 'C', key: 'K' } },
      { 'client-certificate-data': base64('C'), 'client-key-data': base64('K') },
    ],
    ['certificate files', { certificateFile: '/c', keyFile: '/k' }, { 'client-certificate': '/c', 'client-key': '/k' }],
    [
      'an exec plugin',
      { exec: { command: '/bin/login', args: ['--now'], env: { REGION: 'north' } } },
      {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          interactiveMode: 'Never',
          command: '/bin/login',
          args: ['--now'],
          env: [{ name: 'REGION', value: 'north' }],
        },
      },
    ],
  ])('writes a user with %s', (_, user, fields) => {
    expect(written(user)).toMatchObject({ users: [{ name: 'quartermaster', user: fields }] });
  });
});
