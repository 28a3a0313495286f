import { readFile } from 'node:fs/promises';

export interface ContainerRecipe {
  /** What is copied from the repository, relative to its root. */
  readonly sources: readonly string[];
  /** The stage from which the image's own files come is copied to this folder. */
  readonly home: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly user: string;
}

/** What a Containerfile says whose last stage copies the one before it, as far as ours uses its language. */
export async function readRecipe(path: string): Promise<ContainerRecipe> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const given = (instruction: string): string[] =>
    lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1).trim());
  const copies = given('COPY').map((copy) => copy.split(/\s+/));
  return {
    sources: copies.filter(([first]) => first?.startsWith('--from=') !== true).flatMap((copy) => copy.slice(0, -1)),
    home: copies.findLast(([first]) => first?.startsWith('--from=') === true)?.at(-1) ?? '',
    entrypoint: words(given('ENTRYPOINT').at(-1)),
    command: words(given('CMD').at(-1)),
    user: given('USER').at(-1) ?? '',
  };
}

function words(json: string | undefined): readonly string[] {
  const parsed: unknown = JSON.parse(json ?? '[]');
  return Array.isArray(parsed) ? parsed.map(String) : [];
}
