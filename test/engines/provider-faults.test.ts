import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EngineFaultKind } from '../../src/engines/engine-error.ts';
import {
  classifyFault,
  classifyFinish,
  type ProviderFault,
  readComplaint,
} from '../../src/engines/llm/provider-faults.ts';
import { durationMs, rateAllowances, retryAfterMs } from '../../src/engines/llm/rate-headers.ts';

const openai = (message: string, more: object = {}): object => ({
  error: { message, type: 'invalid_request_error', param: null, code: null, ...more },
});

/** What servers answer, by status; the last column is what we make of it. */
const bodies: readonly [title: string, status: number, body: object | string, want: EngineFaultKind | ProviderFault][] =
  [
    // Refusals, whatever their status.
    [
      'OpenAI, a flagged prompt',
      400,
      openai('Invalid prompt: your prompt was flagged as potentially violating our usage policy.', {
        code: 'invalid_prompt',
      }),
      'refused',
    ],
    [
      'OpenAI, its safety system',
      400,
      openai('Your request was rejected as a result of our safety system.'),
      'refused',
    ],
    [
      'Azure, a content filter',
      400,
      {
        error: {
          code: 'content_filter',
          param: 'prompt',
          status: 400,
          message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
          innererror: {
            code: 'ResponsibleAIPolicyViolation',
            content_filter_result: { jailbreak: { filtered: true, detected: true } },
          },
        },
      },
      'refused',
    ],
    [
      'Anthropic, blocked output',
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'Output blocked by content filtering policy' },
      },
      'refused',
    ],
    ['Gemini through a proxy, as 429', 429, openai('blocked: prompt: BlockedReasonProhibitedContent'), 'refused'],
    ['DeepSeek', 400, openai('Content Exists Risk', { code: 'invalid_request_error' }), 'refused'],
    ['DeepSeek, the old shape', 400, { detail: 'Content Exists Risk' }, 'refused'],
    [
      'Qwen, input',
      400,
      {
        error: {
          code: 'data_inspection_failed',
          type: 'data_inspection_failed',
          message: 'Input data may contain inappropriate content.',
        },
      },
      'refused',
    ],
    [
      'Qwen, output in a stream',
      200,
      {
        error: {
          message: '<400> InternalError.Algo.DataInspectionFailed: Output data may contain inappropriate content.',
        },
      },
      'refused',
    ],
    [
      'GLM, input',
      400,
      {
        contentFilter: [{ level: 1, role: 'user' }],
        error: { code: '1301', message: '系统检测到输入或生成内容可能包含不安全或敏感内容' },
      },
      'refused',
    ],
    [
      'Kimi',
      400,
      { error: { type: 'content_filter', message: 'The request was rejected because it was considered high risk' } },
      'refused',
    ],
    [
      'OpenRouter, moderation as 403',
      403,
      {
        error: {
          code: 403,
          message: 'This model requires moderation and your input was flagged',
          metadata: { reasons: ['violence'], flagged_input: 'maximum context length is 10 tokens', provider_name: 'X' },
        },
      },
      'refused',
    ],
    [
      'LiteLLM',
      400,
      {
        error: { message: 'litellm.ContentPolicyViolationError: AzureException', type: null, param: null, code: '400' },
      },
      'refused',
    ],
    // Too long.
    [
      'OpenAI',
      400,
      openai("This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.", {
        code: 'context_length_exceeded',
      }),
      { kind: 'too-long', windowTokens: 8192 },
    ],
    [
      'vLLM, older',
      400,
      {
        object: 'error',
        message:
          "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (3000 in the messages, 2000 in the completion). Please reduce the length.",
        type: 'BadRequestError',
        code: 400,
      },
      { kind: 'too-long', windowTokens: 4096, promptTokens: 3000 },
    ],
    [
      'vLLM, newer',
      400,
      openai(
        "This model's maximum context length is 4096 tokens. However, you requested 512 output tokens and your prompt contains at least 3900 input tokens, for a total of at least 4412 tokens.",
      ),
      { kind: 'too-long', windowTokens: 4096, promptTokens: 3900 },
    ],
    ['vLLM, a negative limit', 400, openai('max_tokens must be at least 1, got -186.'), 'too-long'],
    [
      'Anthropic',
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
      },
      { kind: 'too-long', promptTokens: 210_000, windowTokens: 200_000 },
    ],
    [
      'Anthropic, with the answer',
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
        },
      },
      { kind: 'too-long', promptTokens: 190_000, windowTokens: 200_000 },
    ],
    [
      'Gemini',
      400,
      {
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        },
      },
      { kind: 'too-long', promptTokens: 1_200_000, windowTokens: 1_048_576 },
    ],
    [
      'Qwen',
      400,
      { error: { code: 'InvalidParameter', message: 'Range of input length should be [1, 30720]' } },
      { kind: 'too-long', windowTokens: 30_720 },
    ],
    ['GLM', 400, { error: { code: '1261', message: 'Prompt exceeds max length' } }, 'too-long'],
    [
      'Kimi',
      400,
      openai('Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)'),
      { kind: 'too-long', windowTokens: 8192 },
    ],
    [
      'Mistral',
      400,
      {
        object: 'error',
        message:
          'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
        type: 'invalid_request_error',
      },
      { kind: 'too-long', promptTokens: 40_000, windowTokens: 32_768 },
    ],
    ['Groq', 400, openai('Please reduce the length of the messages or completion.', { param: 'messages' }), 'too-long'],
    ['Together, as 403', 403, openai('The sum of inputs tokens + max_new_tokens must be <= 4096'), 'too-long'],
    [
      'llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 5000,
          n_ctx: 4096,
        },
      },
      { kind: 'too-long', promptTokens: 5000, windowTokens: 4096 },
    ],
    [
      'LM Studio',
      400,
      {
        error:
          'Trying to keep the first 5000 tokens when context the overflows. However, the number of tokens to keep from the initial prompt is greater than the context length.',
      },
      'too-long',
    ],
    ['Ollama', 400, { error: 'prompt too long; exceeded max context length by 900 tokens' }, 'too-long'],
    [
      'OpenRouter',
      400,
      openai(
        "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (38000 of text input, 2000 in the output).",
      ),
      { kind: 'too-long', windowTokens: 32_768, promptTokens: 38_000 },
    ],
    ['an empty 413', 413, '', 'too-long'],
    // Ceilings.
    [
      'Anthropic, too many tokens asked for',
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'max_tokens: 80000 > 64000, which is the maximum allowed number of output tokens for this model',
        },
      },
      { kind: 'parameter', ceilingTokens: 64_000 },
    ],
    [
      'OpenAI',
      400,
      openai('max_tokens is too large: 20000. This model supports at most 16384 completion tokens.'),
      { kind: 'parameter', ceilingTokens: 16_384 },
    ],
    [
      'Qwen',
      400,
      { error: { code: 'invalid_parameter_error', message: 'Range of max_tokens should be [1, 8192]' } },
      { kind: 'parameter', ceilingTokens: 8192 },
    ],
    [
      'DeepSeek',
      400,
      openai('Invalid max_tokens value, the valid range of max_tokens is [1, 8192]'),
      { kind: 'parameter', ceilingTokens: 8192 },
    ],
    [
      'Groq',
      400,
      openai('`max_tokens` must be less than or equal to `4096`'),
      { kind: 'parameter', ceilingTokens: 4096 },
    ],
    // Parameters.
    [
      'OpenAI, the limit renamed',
      400,
      openai(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        { code: 'unsupported_parameter', param: 'max_tokens' },
      ),
      'parameter',
    ],
    [
      'OpenAI, a temperature',
      400,
      openai(
        "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.",
        { code: 'unsupported_value', param: 'temperature' },
      ),
      'parameter',
    ],
    [
      'OpenAI, an effort',
      400,
      openai(
        "Unsupported value: 'minimal' is not supported with the 'x' model. Supported values are: 'none', 'low', 'medium', and 'high'.",
        { code: 'unsupported_value', param: 'reasoning_effort' },
      ),
      { kind: 'parameter', allowed: ['none', 'low', 'medium', 'high'] },
    ],
    ['Kimi, a temperature', 400, openai('invalid temperature: only 1 is allowed for this model'), 'parameter'],
    [
      'DeepSeek, a role',
      400,
      openai(
        'Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`',
      ),
      { kind: 'parameter', allowed: ['system', 'user', 'assistant', 'tool'] },
    ],
    [
      'Qwen, thinking',
      400,
      openai('parameter.enable_thinking must be set to false for non-streaming calls'),
      'parameter',
    ],
    ['LM Studio, its modes', 400, { error: "'response_format.type' must be 'json_schema' or 'text'" }, 'parameter'],
    [
      'Mistral, a field',
      422,
      {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'stream_options'],
            msg: 'Extra inputs are not permitted',
            input: { include_usage: true },
          },
        ],
      },
      'parameter',
    ],
    [
      'LiteLLM',
      400,
      {
        error: {
          message: "litellm.UnsupportedParamsError: x does not support parameters: ['temperature']",
          code: '400',
        },
      },
      'parameter',
    ],
    [
      'Gemini, a name',
      400,
      {
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          message:
            'Invalid JSON payload received. Unknown name "thinkingConfig" at \'generation_config\': Cannot find field.',
        },
      },
      'parameter',
    ],
    // Money and load.
    [
      'OpenAI, a rate',
      429,
      openai('Rate limit reached. Please try again in 20s.', { code: 'rate_limit_exceeded' }),
      'rate-limited',
    ],
    [
      'OpenAI, no money',
      429,
      openai('You exceeded your current quota, please check your plan and billing details.', {
        code: 'insufficient_quota',
      }),
      'spend-limit',
    ],
    [
      'Anthropic, a spend limit without a wait',
      429,
      {
        type: 'error',
        error: { type: 'rate_limit_error', message: 'limit', details: { error_code: 'enforced_spend_limit_reached' } },
      },
      'spend-limit',
    ],
    [
      'Anthropic, overloaded',
      529,
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      'overloaded',
    ],
    [
      'Gemini, a daily limit with a wait of 36 s',
      429,
      {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'Please retry in 36.4s',
          details: [{ violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }] }, { retryDelay: '36s' }],
        },
      },
      'spend-limit',
    ],
    [
      'Gemini, a limit by the minute',
      429,
      {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'You exceeded your current quota',
          details: [{ violations: [{ quotaId: 'GenerateRequestsPerMinutePerProject' }] }, { retryDelay: '36s' }],
        },
      },
      'rate-limited',
    ],
    ['GLM, arrears as 429', 429, { error: { code: '1113', message: '余额不足' } }, 'spend-limit'],
    ['GLM, a rate', 429, { error: { code: '1302', message: '您当前使用该API的并发数过高' } }, 'rate-limited'],
    ['DeepSeek, no balance', 402, openai('Insufficient Balance'), 'spend-limit'],
    [
      'Qwen, arrears as 400',
      400,
      { error: { code: 'Arrearage', message: 'Access denied, please make sure your account is in good standing.' } },
      'spend-limit',
    ],
    ['OpenRouter, in flight', 402, { error: { code: 402, message: 'in_flight_budget_exhausted' } }, 'rate-limited'],
    ['Bedrock, throttled', 400, { message: 'Too many tokens, please wait before trying again.' }, 'rate-limited'],
    ['Groq, no capacity', 498, openai('capacity_exceeded'), 'overloaded'],
    [
      'llama.cpp, loading',
      503,
      { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
      'overloaded',
    ],
    // Keys and models.
    ['a wrong key', 401, openai('Incorrect API key provided', { code: 'invalid_api_key' }), 'rejected'],
    ['an unknown model', 404, openai('The model `x` does not exist', { code: 'model_not_found' }), 'rejected'],
    ['an unknown 403', 403, openai('no'), 'rejected'],
    ['an unknown 400', 400, openai('Something went wrong with your request.'), 'bad-input'],
    ['an unknown 422', 422, 'no', 'bad-input'],
  ];

describe('what servers say is told apart by their words before their status', () => {
  for (const [title, status, body, want] of bodies) {
    test(`${status} ${title}`, () => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const fault = classifyFault(readComplaint(status, text), retryAfterMs({}, text, 0) !== undefined);
      if (typeof want === 'string') assert.equal(fault.kind, want);
      else assert.deepEqual(fault, want);
    });
  }

  test('what a server quotes of the book is not taken for its own words', () => {
    const body = {
      detail: [
        {
          type: 'value_error',
          loc: ['body', 'x'],
          msg: 'bad',
          input: 'Content Exists Risk',
          ctx: { prompt: 'insufficient_quota' },
        },
      ],
    };
    assert.equal(classifyFault(readComplaint(422, JSON.stringify(body)), false).kind, 'bad-input');
  });
  test('the ends of answers', () => {
    for (const reason of [
      'content_filter',
      'refusal',
      'sensitive',
      'SAFETY',
      'RECITATION',
      'PROHIBITED_CONTENT',
      'content-filter',
    ])
      assert.equal(classifyFinish(reason), 'refused', reason);
    for (const reason of ['length', 'max_tokens', 'MAX_TOKENS']) assert.equal(classifyFinish(reason), 'cut', reason);
    assert.equal(classifyFinish('model_context_window_exceeded'), 'window');
    assert.equal(classifyFinish('insufficient_system_resource'), 'overloaded');
    for (const reason of ['stop', 'end_turn', 'STOP']) assert.equal(classifyFinish(reason), 'complete', reason);
  });
});

describe('how long to wait, and what is left', () => {
  const now = Date.parse('2026-11-16T12:00:00Z');
  test('durations in every spelling', () => {
    for (const [text, ms] of [
      ['6ms', 6],
      ['1s', 1_000],
      ['6m0s', 360_000],
      ['1h2m3.5s', 3_723_500],
      ['7', 7_000],
      ['0.25', 250],
      ['2026-11-16T12:00:30Z', 30_000],
      [String(now / 1000 + 5), 5_000],
      [String(now + 5), 5],
    ] as const)
      assert.equal(durationMs(text, now), ms, text);
    assert.equal(durationMs('soon', now), undefined);
  });
  test('the wait: milliseconds, seconds, a date, the body, the reset of what is used up', () => {
    assert.equal(retryAfterMs({ 'retry-after-ms': '250', 'retry-after': '9' }, '', now), 250);
    assert.equal(retryAfterMs({ 'x-ms-retry-after-ms': '40' }, '', now), 40);
    assert.equal(retryAfterMs({ 'retry-after': '1.5' }, '', now), 1_500);
    assert.equal(retryAfterMs({ 'retry-after': 'Mon, 16 Nov 2026 12:00:09 GMT' }, '', now), 9_000);
    assert.equal(retryAfterMs({}, '{"error":{"message":"Please try again in 20s."}}', now), 20_000);
    assert.equal(retryAfterMs({}, '{"error":{"message":"Please retry in 36.42s."}}', now), 36_420);
    assert.equal(retryAfterMs({}, `{"next_flush_time":${now + 60_000}}`, now), 60_000);
    const headers = {
      'x-ratelimit-remaining-requests': '10',
      'x-ratelimit-reset-requests': '1h',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '40ms',
    };
    assert.equal(retryAfterMs(headers, '', now), 40);
    assert.equal(retryAfterMs({}, '', now), undefined);
  });
  test('allowances of OpenAI, Anthropic and Kimi', () => {
    assert.deepEqual(
      rateAllowances({ 'x-ratelimit-remaining-tokens': '120', 'x-ratelimit-reset-tokens': '6m0s' }, now),
      [{ unit: 'tokens', remaining: 120, resetMs: 360_000 }],
    );
    assert.deepEqual(
      rateAllowances(
        { 'anthropic-ratelimit-requests-remaining': '0', 'anthropic-ratelimit-requests-reset': '2026-11-16T12:00:02Z' },
        now,
      ),
      [{ unit: 'requests', remaining: 0, resetMs: 2_000 }],
    );
    assert.deepEqual(rateAllowances({ 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '1' }, now), [
      { unit: 'requests', remaining: 3, resetMs: 1_000 },
    ]);
    assert.deepEqual(rateAllowances({ 'x-ratelimit-remaining-tokens': 'many' }, now), []);
  });
});
