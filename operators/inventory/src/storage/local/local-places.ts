import { parse } from 'yaml';
import { z } from 'zod';
import type { StorageClassFacts } from '../../model/storage-inventory.ts';
import type { LocalPathConfig, LocalPlaces } from './local-path-config.ts';

const localPathProvisioner = 'rancher.io/local-path';
const openebsLocalProvisioner = 'openebs.io/local';

/** Of the provisioner's own manifests, for a cluster whose configuration is elsewhere. */
const defaultLocalPath = '/opt/local-path-provisioner';
const defaultOpenebsPath = '/var/openebs/local';
const openebsConfig = 'cas.openebs.io/config';
const openebsSettings = z.array(z.object({ name: z.string(), value: z.string().optional() }));

export function isLocalProvisioner(provisioner: string): boolean {
  return provisioner === localPathProvisioner || provisioner === openebsLocalProvisioner;
}

/** Where a class puts volumes on a node. No paths when it puts none there. */
export function placesOf(storageClass: StorageClassFacts, node: string, config: LocalPathConfig | undefined): LocalPlaces {
  if (storageClass.provisioner === openebsLocalProvisioner) return { kind: 'own', paths: [openebsPath(storageClass)] };
  const places = config?.placesOf(storageClass.name, node) ?? { kind: 'own', paths: [defaultLocalPath] };
  const { nodePath } = storageClass.parameters;
  if (places.kind === 'shared' || nodePath === undefined) return places;
  return { kind: 'own', paths: places.paths.filter((path) => path === nodePath) };
}

/** The class carries its settings as YAML: a list of names and values. */
function openebsPath({ annotations }: StorageClassFacts): string {
  try {
    const settings = openebsSettings.parse(parse(annotations[openebsConfig] ?? '[]'));
    return settings.find(({ name }) => name === 'BasePath')?.value ?? defaultOpenebsPath;
  } catch {
    return defaultOpenebsPath;
  }
}
