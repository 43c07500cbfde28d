/** Requests and answers of series, for the reference and the OpenAPI document. */
import { base, bearer, type Example, inThree } from './three-languages.ts';

const json = `-H 'Content-Type: application/json'`;
const series = 'series/$SERIES_ID';
const seriesUrl = `{base}/series/{os.environ['SERIES_ID']}`;

export const seriesExamples: Readonly<Record<string, Example[]>> = {
  createSeries: inThree(
    `
curl -s ${base}/series \\
  ${bearer} \\
  ${json} \\
  -d '{"title": "El Faro de Sal", "source_lang": "es", "target_lang": "en"}'`,
    `
const series = await toledo.createSeries({ title: 'El Faro de Sal', source_lang: 'es', target_lang: 'en' });
console.log(series.series_id);`,
    `
series = requests.post(
    f"{base}/series",
    headers=key,
    json={"title": "El Faro de Sal", "source_lang": "es", "target_lang": "en"},
).json()["data"]
print(series["series_id"])`,
  ),
  listSeries: inThree(
    `curl -s ${base}/series ${bearer}`,
    `
const { series } = await toledo.listSeries();
for (const one of series) console.log(one.series_id, one.title);`,
    `
for one in requests.get(f"{base}/series", headers=key).json()["data"]["series"]:
    print(one["series_id"], one["title"])`,
  ),
  getSeries: inThree(
    `curl -s ${base}/${series} ${bearer}`,
    `
const { title, counts } = await toledo.getSeries(process.env.SERIES_ID!);
console.log(title, counts?.remembered_paragraphs);`,
    `
series = requests.get(f"${seriesUrl}", headers=key).json()["data"]
print(series["title"], series["counts"]["remembered_paragraphs"])`,
  ),
  updateSeries: inThree(
    `
curl -s -X PATCH ${base}/${series} \\
  ${bearer} \\
  ${json} \\
  -d '{"metadata": {"volume": "2"}}'`,
    `
const series = await toledo.updateSeries(process.env.SERIES_ID!, { metadata: { volume: '2' } });
console.log(series.metadata);`,
    `
series = requests.patch(f"${seriesUrl}", headers=key, json={"metadata": {"volume": "2"}}).json()["data"]
print(series["metadata"])`,
  ),
  deleteSeries: inThree(
    `curl -s -X DELETE ${base}/${series} ${bearer}`,
    `
await toledo.deleteSeries(process.env.SERIES_ID!);
console.log('gone');`,
    `
print(requests.delete(f"${seriesUrl}", headers=key).json()["data"]["series_id"])`,
  ),
  listSeriesTerms: inThree(
    `curl -s "${base}/${series}/terms?limit=100" ${bearer}`,
    `
const { terms } = await toledo.listSeriesTerms(process.env.SERIES_ID!, { limit: 100 });
for (const term of terms) console.log(term.source, '=', term.target);`,
    `
page = requests.get(f"${seriesUrl}/terms", params={"limit": 100}, headers=key).json()["data"]
for term in page["terms"]:
    print(term["source"], "=", term["target"])`,
  ),
  setSeriesTerms: inThree(
    `
curl -s -X PUT ${base}/${series}/terms \\
  ${bearer} \\
  ${json} \\
  -d '{"terms": [{"source": "Puerto Calmo", "target": "Calm Harbour", "type": "place"}]}'`,
    `
// Or the text of a CSV or TBX file.
const { terms } = await toledo.setSeriesTerms(process.env.SERIES_ID!, [
  { source: 'Puerto Calmo', target: 'Calm Harbour', type: 'place' },
]);
console.log(terms);`,
    `
term = {"source": "Puerto Calmo", "target": "Calm Harbour", "type": "place"}
print(requests.put(f"${seriesUrl}/terms", headers=key, json={"terms": [term]}).json()["data"]["terms"])`,
  ),
  deleteSeriesTerm: inThree(
    `curl -s -X DELETE ${base}/${series}/terms/Puerto%20Calmo ${bearer}`,
    `
await toledo.deleteSeriesTerm(process.env.SERIES_ID!, 'Puerto Calmo');
console.log('gone');`,
    `
print(requests.delete(f"${seriesUrl}/terms/Puerto%20Calmo", headers=key).json()["data"]["source"])`,
  ),
  correctSeries: inThree(
    `
curl -s ${base}/${series}/corrections \\
  ${bearer} \\
  ${json} \\
  -d '[{"source": "La carta llegó un martes.", "target": "The letter came on a Tuesday."}]'`,
    `
// Or the text of an XLIFF or TMX file as an editor saved it.
const { taken, unchanged, refusals } = await toledo.correctSeries(process.env.SERIES_ID!, [
  { source: 'La carta llegó un martes.', target: 'The letter came on a Tuesday.' },
]);
console.log(taken, unchanged, refusals);`,
    `
correction = {"source": "La carta llegó un martes.", "target": "The letter came on a Tuesday."}
answer = requests.post(f"${seriesUrl}/corrections", headers=key, json=[correction]).json()["data"]
print(answer["taken"], answer["unchanged"], answer["refusals"])`,
  ),
};

const one = {
  series_id: 'ser_8ta8v2q3ra4acqps0bs2qqnr8c',
  title: 'El Faro de Sal',
  source_lang: 'es',
  target_lang: 'en',
  style: null,
  metadata: {},
  created_at: '2026-11-15T08:30:00.000Z',
};

export const seriesAnswers: Readonly<Record<string, object>> = {
  createSeries: one,
  listSeries: { series: [one], next_cursor: null },
  getSeries: {
    ...one,
    counts: { tasks: 2, terms: 31, remembered_paragraphs: 4120, remembered_characters: 418204 },
  },
  updateSeries: { ...one, metadata: { volume: '2' } },
  deleteSeries: { series_id: one.series_id },
  listSeriesTerms: {
    terms: [
      {
        source: 'Puerto Calmo',
        target: 'Calm Harbour',
        type: 'place',
        gender: 'unknown',
        aliases: [],
        note: null,
        origin: 'supplied',
        first_task_id: 'task_8ta8v2q3ra4acqps0bs2qqnr8c',
        occurrences: 57,
      },
    ],
    next_cursor: null,
  },
  setSeriesTerms: { terms: 1 },
  deleteSeriesTerm: { source: 'Puerto Calmo' },
  correctSeries: { taken: 1, unchanged: 0, refused: 0, refusals: [], terms: [] },
};
