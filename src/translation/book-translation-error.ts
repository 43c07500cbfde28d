import { EngineError } from '../engines/engine-error.ts';

const spentRetryMs = 60_000;

/** Why a book as a whole could not be translated: what marks the task failed, or lets its job be tried again. */
export class BookTranslationError extends Error {
  override readonly name = 'BookTranslationError';
  readonly code: 'TOO_MUCH_FAILED' | 'NOTHING_EXTRACTED' | 'ENGINE_UNAVAILABLE';
  /** Another run of the same task may succeed; what was committed is kept. */
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** What the partner should know besides, such as a language that is not the declared one. */
  warnings: readonly { code: string; message: string }[] = [];

  constructor(
    code: BookTranslationError['code'],
    message: string,
    options: { retryable: boolean; retryAfterMs?: number | undefined; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
  }

  static unavailable(error: EngineError): BookTranslationError {
    const said = `${error.engine ?? 'the engine'}: ${error.message}`;
    return new BookTranslationError('ENGINE_UNAVAILABLE', `No translation engine could be reached (${said}).`, {
      // A budget of ours that is used up is no fault of the partner's text: the task waits until an operator acts.
      retryable: error.retryable || error.kind === 'spend-limit',
      retryAfterMs: error.retryAfterMs ?? (error.kind === 'spend-limit' ? spentRetryMs : undefined),
      cause: error,
    });
  }

  static tooMuchFailed(failed: number, total: number): BookTranslationError {
    const message = `${failed} of ${total} characters could not be translated.`;
    return new BookTranslationError('TOO_MUCH_FAILED', message, { retryable: false });
  }

  /** Nothing that was answered is a translation. It may be the model and it may be the text, so it counts as any other failure of a text. */
  static nothingUsable(counts: {
    calls: number;
    refused: number;
    unreadable: number;
    unusable: number;
  }): BookTranslationError {
    const { calls, refused, unreadable, unusable } = counts;
    const said = `${refused} refused, ${unreadable} unreadable, ${unusable} that are no translation`;
    return new BookTranslationError('TOO_MUCH_FAILED', `Nothing of ${calls} answers could be used: ${said}.`, {
      retryable: false,
    });
  }

  /** For `catch`: what engines could not do becomes the book's fault; anything else goes on as it is. */
  static rethrowUnavailable(error: unknown): never {
    throw error instanceof EngineError ? BookTranslationError.unavailable(error) : error;
  }
}
