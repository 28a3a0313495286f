/**
 * Writes the vector files of lib/kernel and lib/kube: the inputs beside this file, with the answers of Kubernetes' own code.
 *
 *   node test/kube/vectors/generate.ts [path of the kube-oracle binary]
 */
import { writeFileSync } from 'node:fs';
import { kubeBinary } from '../binaries.ts';
import { makePodVectors, makeQuantityVectors } from './make-vectors.ts';
import { Oracle } from './oracle.ts';

const oracle = new Oracle(process.argv[2] ?? kubeBinary('kube-oracle'));
write('../../../lib/kernel/src/vectors/quantities.json', makeQuantityVectors(oracle));
write('../../../lib/kube/src/pods/vectors/pod-requests.json', makePodVectors(oracle));

/** One case per line: a difference between two versions of Kubernetes reads as a list of cases. */
function write(path: string, vectors: object): void {
  const sections = Object.entries(vectors).map(([name, cases]: [string, readonly object[]]) => {
    const lines = cases.map((entry) => `    ${JSON.stringify(entry)}`);
    return `  ${JSON.stringify(name)}: [\n${lines.join(',\n')}\n  ]`;
  });
  writeFileSync(new URL(path, import.meta.url), `{\n${sections.join(',\n')}\n}\n`);
}
