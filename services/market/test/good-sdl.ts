import { readdirSync, readFileSync } from 'node:fs';
import { generateManifest, generateManifestVersion, manifestToSortedJSON, type SDLInput, yaml } from '@akashnetwork/chain-sdk';

const folder = new URL('sdl/', import.meta.url);

/** SDL texts of every kind: name -> text. */
export const goodSdl: ReadonlyMap<string, string> = new Map(
  readdirSync(folder).map((file) => [file.replace('.yaml', ''), readFileSync(new URL(file, folder), 'utf8')]),
);

/** What the library makes of a text by itself, with its own reader of YAML. Throws what it throws. */
export async function ofLibrary(text: string): Promise<{ readonly manifest: string; readonly manifestHash: string }> {
  const result = generateManifest(yaml.template<SDLInput>(text), 'mainnet');
  if (!result.ok) throw new Error(JSON.stringify(result.value));
  const hash = await generateManifestVersion(result.value.groups);
  return { manifest: manifestToSortedJSON(result.value.groups), manifestHash: Buffer.from(hash).toString('hex') };
}
