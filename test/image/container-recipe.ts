import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';

/** A folder that is made in a stage of its own. */
export interface MadeFolder {
  /** Where that stage has it. */
  readonly source: string;
  /** Where the stage that copies it has it. */
  readonly target: string;
  /** The package of ours whose packages the stage installs, development ones included; undefined when it installs all. */
  readonly workspace: string | undefined;
  readonly command: readonly string[];
}

export interface ContainerRecipe {
  /** What is copied from the repository, relative to its root. */
  readonly sources: readonly string[];
  /** The stage from which the image's own files come is copied to this folder. */
  readonly home: string;
  /** In the order in which they are copied. */
  readonly made: readonly MadeFolder[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly user: string;
  /** Packages of the operating system that the image itself has besides those of its base. */
  readonly systemPackages: readonly string[];
}

/** What a Containerfile says, as far as ours uses its language: the last command of a stage makes what others copy of it, and the last stage begins with a copy of another one. */
export async function readRecipe(path: string): Promise<ContainerRecipe> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const given = (instruction: string): string[] =>
    lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1).trim());
  const copies = given('COPY').map((copy) => copy.split(/\s+/));
  const isFromStage = ([first]: readonly string[]): boolean => first?.startsWith('--from=') === true;
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  const image = last.find((line) => line.startsWith('COPY --from='));
  const [own = '', , home = ''] = image?.split(/\s+/).slice(1) ?? [];
  return {
    sources: copies.filter((copy) => !isFromStage(copy)).flatMap((copy) => copy.slice(0, -1)),
    home,
    made: copies
      .filter((copy) => isFromStage(copy) && copy[0] !== own)
      .map(([from = '', source = '', target = '']) => ({
        source,
        target: posix.resolve(home, target),
        ...stageOf(lines, from.slice('--from='.length)),
      })),
    entrypoint: words(given('ENTRYPOINT').at(-1)),
    command: words(given('CMD').at(-1)),
    user: given('USER').at(-1) ?? '',
    systemPackages: last.flatMap((line) => /^RUN .*\bapt-get install ([^&]+)/.exec(line)?.[1]?.trim().split(/\s+/) ?? []),
  };
}

function stageOf(lines: readonly string[], name: string): Pick<MadeFolder, 'workspace' | 'command'> {
  const start = lines.findIndex((line) => line.startsWith('FROM ') && line.endsWith(` AS ${name}`));
  const end = lines.findIndex((line, index) => index > start && line.startsWith('FROM '));
  const runs = lines.slice(start, end).filter((line) => line.startsWith('RUN '));
  const commands = runs.flatMap((line) => line.slice('RUN '.length).split('&&')).map((command) => command.trim().split(/\s+/));
  const option = commands.flat().find((word) => word.startsWith('--workspace='));
  return { workspace: option?.slice('--workspace='.length), command: commands.at(-1) ?? [] };
}

function words(json: string | undefined): readonly string[] {
  const parsed: unknown = JSON.parse(json ?? '[]');
  return Array.isArray(parsed) ? parsed.map(String) : [];
}
