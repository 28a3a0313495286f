import { readFile } from 'node:fs/promises';

export interface ContainerRecipe {
  /** What is copied from the repository, relative to its root. */
  readonly sources: readonly string[];
  /** The stage from which the image's own files come is copied to this folder. */
  readonly home: string;
  /** What is made in a stage of its own, and the command that makes it: folder -> words. */
  readonly made: ReadonlyMap<string, readonly string[]>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly user: string;
  /** Packages of the operating system that the image itself has besides those of its base. */
  readonly systemPackages: readonly string[];
}

/** What a Containerfile says, as far as ours uses its language: the last command of a stage makes what the last stage copies of it. */
export async function readRecipe(path: string): Promise<ContainerRecipe> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const given = (instruction: string): string[] =>
    lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1).trim());
  const copies = given('COPY').map((copy) => copy.split(/\s+/));
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  const image = last.filter((line) => line.startsWith('COPY --from='));
  const [own, ...made] = image.map((line) => line.split(/\s+/).slice(1));
  return {
    sources: copies.filter(([first]) => first?.startsWith('--from=') !== true).flatMap((copy) => copy.slice(0, -1)),
    home: own?.at(-1) ?? '',
    made: new Map(made.map(([from = '', folder = '']) => [folder, lastCommand(lines, from.slice('--from='.length))])),
    entrypoint: words(given('ENTRYPOINT').at(-1)),
    command: words(given('CMD').at(-1)),
    user: given('USER').at(-1) ?? '',
    systemPackages: last.flatMap((line) => /^RUN .*\bapt-get install ([^&]+)/.exec(line)?.[1]?.trim().split(/\s+/) ?? []),
  };
}

function lastCommand(lines: readonly string[], stage: string): readonly string[] {
  const start = lines.findIndex((line) => line.startsWith('FROM ') && line.endsWith(` AS ${stage}`));
  const end = lines.findIndex((line, index) => index > start && line.startsWith('FROM '));
  const [, ...command] = (lines.slice(start, end).findLast((line) => line.startsWith('RUN ')) ?? '').split(/\s+/);
  return command;
}

function words(json: string | undefined): readonly string[] {
  const parsed: unknown = JSON.parse(json ?? '[]');
  return Array.isArray(parsed) ? parsed.map(String) : [];
}
