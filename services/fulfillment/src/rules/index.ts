export {
  type KindName,
  type KindRules,
  kindNames,
  type Prepared,
  type Reference,
  type Referenced,
  type ReferencedByField,
  type Usage,
} from './kind-rules.ts';
