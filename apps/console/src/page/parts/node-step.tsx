import { nodesTopic } from '@quartermaster/api/inventory-views';
import { nodeState } from '@quartermaster/api/states';
import { useTopic } from '../live/use-topic.ts';
import { nodeHref } from '../model/addresses.ts';
import { Step } from './chain.tsx';

/** A node as a step of a chain, with its state. */
export function NodeStep({ name }: { readonly name: string }) {
  const { news, isCurrent } = useTopic(nodesTopic, { name });
  const node = isCurrent ? news?.rows[0] : undefined;
  const { tone, word } = node === undefined ? { tone: 'unknown' as const, word: '' } : nodeState(node.sale);
  return <Step tone={tone} word={word} name={name} href={nodeHref(name)} />;
}
