/** One paragraph as it came back from an editor's tool. */
export interface EditedUnit {
  /** The block's id where the tool kept it. */
  id: string | undefined;
  source: string;
  target: string;
  /** The hash of the target that was exported, where the tool kept it. */
  exported?: string;
  /** Why the unit cannot be used: inline elements that are not ours, or another pair of languages. */
  fault?: 'UNKNOWN_MARKUP' | 'OTHER_LANGUAGES';
}
