import { StatusError } from '@quartermaster/kernel';
import { z } from 'zod';

/** Where volumes of a class lie on a node: on one of these paths of its own, or on one that all nodes share. */
export type LocalPlaces = { readonly kind: 'own'; readonly paths: readonly string[] } | { readonly kind: 'shared'; readonly path: string };

/** Where the provisioner puts volumes, by class and node. */
export interface LocalPathConfig {
  placesOf(className: string, node: string): LocalPlaces;
}

/** The provisioner's own word for nodes that are not listed. */
const otherNodes = 'DEFAULT_PATH_FOR_NON_LISTED_NODES';

const paths = z.object({
  nodePathMap: z.array(z.object({ node: z.string(), paths: z.array(z.string()) })).optional(),
  sharedFileSystemPath: z.string().optional(),
});
const schema = paths.extend({ storageClassConfigs: z.record(z.string(), paths).optional() });

/** Reads the config.json of the ConfigMap local-path-config. */
export function parseLocalPathConfig(text: string): LocalPathConfig {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new StatusError('invalid_argument', 'config.json of local-path-config is not JSON: correct it', { cause });
  }
  const { success, data, error } = schema.safeParse(parsed);
  if (!success) throw new StatusError('invalid_argument', `config.json of local-path-config: ${z.prettifyError(error)}`);
  return {
    placesOf(className, node) {
      const { nodePathMap = [], sharedFileSystemPath } = data.storageClassConfigs?.[className] ?? data;
      if (sharedFileSystemPath !== undefined && sharedFileSystemPath !== '') return { kind: 'shared', path: sharedFileSystemPath };
      const entry = nodePathMap.find((each) => each.node === node) ?? nodePathMap.find((each) => each.node === otherNodes);
      return { kind: 'own', paths: entry?.paths ?? [] };
    },
  };
}
