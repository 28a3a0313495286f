import { StatusError } from '@quartermaster/kernel';
import { isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { datacenterProblems, type Problem } from './datacenter-problems.ts';
import { type Scenario, scenarioSchema } from './scenario.ts';

type Path = Problem['path'];

const maxNodes = 32_768;
const maxShownProblems = 10;

/** Reads a scenario. Throws `invalid_argument` with one line per problem: file, line, key and rule. `file` is for those lines alone. */
export function parseScenario(text: string, file: string): Scenario {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const broken = document.errors.map((error) => `${file}:${lineAt(error.pos[0])}: ${error.message}`);
  if (broken.length > 0) throw refusal(broken);

  const lineOf = (path: Path): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const found = document.getIn(path.slice(0, length), true);
      if (isNode(found) && found.range) return lineAt(found.range[0]);
    }
    return 1;
  };
  const parsed = scenarioSchema.safeParse(document.toJS());
  const problems = parsed.success ? crossChecks(parsed.data) : parsed.error.issues.flatMap(problemsOf);
  if (problems.length > 0)
    throw refusal(problems.map(({ path, message }) => `${file}:${lineOf(path)}: ${path.join('.') || 'the file'}: ${message}`));
  if (!parsed.success) throw new StatusError('internal', `${file} is invalid, but no rule is named`);
  return parsed.data;
}

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return issue.keys.map((key) => ({ path: [...path, key], message: 'is not a known key' }));
}

/** Rules between fields: names that are used must be defined, and defined once. */
function crossChecks(scenario: Scenario): Problem[] {
  return [...rackProblems(scenario), ...storageProblems(scenario), ...datacenterProblems(scenario)];
}

function rackProblems({ racks, hardware }: Scenario): Problem[] {
  const problems: Problem[] = [];
  let total = 0;
  racks.forEach((rack, rackIndex) => {
    if (racks.findIndex(({ name }) => name === rack.name) < rackIndex) {
      problems.push({ path: ['racks', rackIndex, 'name'], message: `"${rack.name}" is another rack's name: give each its own` });
    }
    rack.nodes.forEach((group, index) => {
      total += group.count;
      if (Object.hasOwn(hardware, group.hardware)) return;
      const known = Object.keys(hardware).join(', ');
      problems.push({
        path: ['racks', rackIndex, 'nodes', index, 'hardware'],
        message: `"${group.hardware}" is not under hardware: define it, or use ${known}`,
      });
    });
  });
  if (total > maxNodes)
    problems.push({ path: ['racks'], message: `${total} nodes are more than the ${maxNodes} that have addresses: lower the counts` });
  return problems;
}

function storageProblems({ storage, tenants }: Scenario): Problem[] {
  const problems: Problem[] = [];
  const known = storage.classes.map(({ name }) => name);
  storage.classes.forEach(({ name, isDefault }, index) => {
    if (known.indexOf(name) < index) problems.push({ path: ['storage', 'classes', index, 'name'], message: `"${name}" is defined twice` });
    if (isDefault && storage.classes.findIndex((other) => other.isDefault) < index) {
      problems.push({ path: ['storage', 'classes', index, 'isDefault'], message: 'only one class can be the default' });
    }
  });
  tenants.forEach((tenant, tenantIndex) => {
    tenant.workloads.forEach(({ volume, kind }, index) => {
      const path = ['tenants', tenantIndex, 'workloads', index, 'volume'];
      if (volume === undefined) return;
      if (kind !== 'StatefulSet') problems.push({ path, message: `only a StatefulSet can have a volume for each replica, not a ${kind}` });
      if (!known.includes(volume.class)) {
        problems.push({
          path: [...path, 'class'],
          message: `"${volume.class}" is not under storage.classes: define it, or use ${known.join(', ') || 'none'}`,
        });
      }
    });
  });
  return problems;
}

function refusal(problems: readonly string[]): StatusError {
  const more = problems.length > maxShownProblems ? [`and ${problems.length - maxShownProblems} more`] : [];
  return new StatusError('invalid_argument', [...problems.slice(0, maxShownProblems), ...more].join('\n'));
}
