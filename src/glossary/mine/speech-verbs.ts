/** Verbs that stand beside the name of who speaks: `said Anna`, `répondit Emma`, `сказал Левин`. */
export const speechVerbs: ReadonlySet<string> = new Set(
  [
    'said says cried replied asked answered exclaimed whispered shouted murmured returned observed continued added',
    'dit répondit demanda écria reprit murmura ajouta fit continua interrompit cria répliqua',
    'dijo respondió preguntó exclamó replicó contestó murmuró añadió gritó',
    'disse rispose domandò esclamò riprese mormorò soggiunse gridò',
    'respondeu perguntou exclamou replicou murmurou acrescentou gritou',
    'sagte sagt rief fragte antwortete erwiderte versetzte sprach meinte flüsterte entgegnete schrie murmelte bat lachte nickte',
    'сказал сказала спросил спросила отвечал отвечала ответил ответила говорил говорила проговорил проговорила закричал закричала подумал подумала',
  ].flatMap((line) => line.split(' ')),
);
