import { contractsFolder } from '@quartermaster/api/manifests';
import { apiVersionOf, discover, type KubeClient, type KubeObject } from '@quartermaster/kube';
import { type Deployment, type Role, readDeployment, readManifests } from '@quartermaster/service';

export function deploymentOf({ name, deployment }: Pick<Role, 'name' | 'deployment'>): Deployment {
  if (deployment === undefined) throw new Error(`role ${name} has no deployment`);
  return deployment;
}

/** Applies the contracts and the files of a role as they are, optional ones too. Returns the kinds that the server does not know. */
export async function applyDeployment(client: KubeClient, role: Pick<Role, 'name' | 'deployment'>): Promise<readonly string[]> {
  const deployment = deploymentOf(role);
  return await applyStrictly(client, [
    ...(await readManifests(contractsFolder, deployment.contracts)),
    ...(await readDeployment(deployment)),
    ...(await readManifests(deployment.folder, deployment.optional ?? [])),
  ]);
}

/** Applies objects of any kind in their order; a field that the server does not know is an error. Returns the kinds that it does not know. */
export async function applyStrictly(client: KubeClient, objects: readonly KubeObject[]): Promise<readonly string[]> {
  const served = await discover(client.transport);
  const unknown: string[] = [];
  for (const object of objects) {
    const type = served.find((each) => apiVersionOf(each) === object.apiVersion && each.kind === object.kind);
    if (type === undefined) unknown.push(object.kind ?? '');
    else await client.apply(type, object, { fieldManager: 'test', force: true, fieldValidation: 'Strict' });
  }
  return unknown;
}
