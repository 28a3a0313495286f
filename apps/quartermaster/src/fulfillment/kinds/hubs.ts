import type { JsonObject } from '@bufbuild/protobuf';
import { Option } from 'commander';
import { contentIfNamed, contentOf } from '../../server/content-of.ts';
import { presentFields, valueAt } from '../../text/json-path.ts';
import { age, common, name, nothing, text } from './columns.ts';
import { type CreateFlags, type Kind, type KindCreation, namesOfKind } from './kind.ts';

interface CreateHubFlags extends CreateFlags {
  readonly namespace: string;
  readonly kubeconfig: string;
  readonly pullSecret?: string | undefined;
  readonly sshPublicKey?: string | undefined;
  readonly ip?: string | undefined;
}

const creation: KindCreation<CreateHubFlags> = {
  summary: 'A hub: a Kubernetes cluster from which clusters are provisioned.',
  options: [
    new Option('--kubeconfig <file>', 'kubeconfig of the hub').makeOptionMandatory(),
    new Option('--namespace <name>', 'namespace of the hub in which clusters are created').makeOptionMandatory(),
    new Option('--pull-secret <file>', 'file with the pull secret for images'),
    new Option('--ssh-public-key <file>', 'file with the SSH public key for the nodes'),
    new Option('--ip <address>', 'IP address at which its clusters are reached'),
  ],
  // Secrets come from files: a command line is seen by others.
  fields: ({ namespace, kubeconfig, pullSecret, sshPublicKey, ip }) =>
    presentFields({
      namespace,
      kubeconfig: Buffer.from(contentOf(kubeconfig, '--kubeconfig')).toString('base64'),
      pull_secret: contentIfNamed(pullSecret, '--pull-secret'),
      ssh_public_key: contentIfNamed(sshPublicKey, '--ssh-public-key'),
      ip,
    }),
};

export const hubs: Kind = {
  ...namesOfKind('Hub'),
  hasSecrets: true,
  summary: 'Hubs: the Kubernetes clusters from which clusters are provisioned.',
  columns: [name, text('NAMESPACE', 'namespace'), text('IP', 'ip'), { header: 'KUBECONFIG', cell: secretText }, age, ...common],
  references: [],
  creation,
};

/** Whether there is one: never what it is. */
function secretText(object: JsonObject): string {
  if (valueAt(object, 'kubeconfig_ref') !== undefined) return 'reference';
  return valueAt(object, 'kubeconfig') === undefined ? nothing : 'stored';
}
