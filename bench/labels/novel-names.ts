/** Who and what is named in novels of the public domain: facts, put together by hand. A name's own forms are one entry, with `|`. */
export interface NovelNames {
  /** A part of the file name. */
  file: string;
  /** Those that a reader remembers: all of them should be found. */
  main: string;
  /** Others that are no mistake. */
  also?: string;
}

export const novelNames: readonly NovelNames[] = [
  {
    file: 'de_heidi',
    main: 'Heidi Peter Öhi|Alm-Öhi|Almöhi Dete Klara Sesemann Rottenmeier Sebastian Tinette Brigitte Frankfurt Adelheid Tobias Maienfeld|Mayenfeld Ragaz Johann',
    also: 'Paris Barbel Prätigau Schwänli Bärli Dörfli',
  },
  {
    file: 'de_soll-haben',
    main: 'Anton Fink Lenore Karl Wohlfart Ehrenthal Sabine Bernhard Veitel Itzig Specht Eugen Tinkeles Pix Schröter Sturm Rosalie Hippus Rosmin Jordan',
    also: 'Pinkus Baumann Liebold Bolling Fritz Ostrau Amerika',
  },
  {
    file: 'de_hoheit',
    main: 'Klaus|Klaus_Heinrich Heinrich|Klaus_Heinrich Spoelmann Knobelsdorff Imma Überbein Albrecht Delphinenort Ditlinde Sammet Löwenjoul Krippenreuther Perceval Samuel|Samuel_Spoelmann Eremitage',
    also: 'Imma_Spoelmann Johann_Albrecht Martini Fasanerie Katharina Philipp Jettchen Stavenüter Dorothea',
  },
  {
    file: 'en_pride-and-prejudice',
    main: 'Elizabeth Darcy Bennet Bingley Jane Wickham Collins Lydia Catherine Gardiner Lizzy Longbourn Charlotte Netherfield Kitty Meryton Pemberley Lucas Rosings Mary Georgiana',
    also: 'London Hertfordshire Forster William Fitzwilliam Hurst Philips Hunsford',
  },
  {
    file: 'en_jane-eyre',
    main: 'Jane Rochester Fairfax Reed Bessie Adèle|Adele Thornfield Diana Mary Rivers Helen Burns Lowood Temple Brocklehurst Gateshead Ingram Mason Hannah Poole Leah Rosamond',
    also: 'John St._John St Jane_Eyre Eyre Georgiana Eliza Grace Grace_Poole Blanche Millcote Oliver Eshton Abbot Sophie Pilot Miller Whitcross England',
  },
  {
    file: 'en_treasure-island',
    main: 'Silver Jim Trelawney Livesey Smollett Gunn|Ben_Gunn Flint Hawkins Hands|Israel_Hands Pew Morgan Bristol Hispaniola',
    also: 'John Long_John Ben Israel George Merry Dick Tom Redruth Joyce Hunter Arrow Bill Black_Dog Job Anderson Spy-glass Gray Captain_Flint Dogger Dance Alan',
  },
  {
    file: 'es_catedral',
    main: 'Gabriel Luna Toledo Claverías Antolín Esteban Sagrario Tato Tomasa Mariano Madrid España Sebastián Luis Vara|Vara_de_Palo|Vara_de_Plata',
    also: 'Europa Carlos Martín Felipe Roma Italia Lucy Beethoven París Jesús',
  },
  {
    file: 'es_maestrante',
    main: 'Amalia Fernanda Lancia Luis Quiñones Josefina Manuel_Antonio Pedro Manín Granate Concha Paco Emilita Nuncita Saleta Carmelita María_Josefa Onís',
    also: 'Diego Madrid Paco_Gómez Juan Santos Moro Núñez Cristóbal Granja',
  },
  {
    file: 'fr_germinal',
    main: 'Étienne|Etienne Maheu Catherine Chaval Maheude Souvarine Hennebeau Négrel Bonnemort Zacharie Jeanlin Alzire Lydie Bébert Rasseneur Pluchart Deneulin Grégoire Cécile Maigrat Montsou Voreux',
    also: 'Levaque Pierron Pierronne Mouquette Richomme Dansaert Philomène Lénore Henri Lucie Jeanne Réquillart Jean-Bart Moque Mouque Bouteloup Quandieu Marchiennes Lille Estelle',
  },
  {
    file: 'fr_bovary',
    main: 'Emma Charles Bovary Homais Léon Rodolphe Bournisien Binet Lheureux Tuvache Rouault Félicité Justin Hippolyte Berthe Yonville Rouen Lefrançois Tostes Hivert',
    also: 'Guillaumin Paris Canivet Catherine Vaubyessard Boulanger Guérin Lagardy Larivière Vinçart Hirondelle',
  },
  {
    file: 'fr_monte-cristo',
    main: 'Dantès|Edmond_Dantès Villefort Caderousse Danglars Mercédès Fernand Morrel Franz Albert Faria Noirtier Marseille Edmond Pharaon Renée',
    also: 'Monte-Cristo Louis Jacopo Paris Rome Maximilien Château-Renaud Emmanuel Pastrini Italie France Napoléon Luigi Luigi_Vampa Spada Spalatro Teresa Bonaparte Julie If Châtelet Carconte Cucumetto Andrea Penelon Sinbad Ali Haydée Livourne Peppino Toulon Leghorn',
  },
  {
    file: 'it_promessi',
    main: 'Renzo Lucia Agnese Abbondio Rodrigo Cristoforo Perpetua Gertrude Federigo Milano Tonio Griso Lecco Bortolo Bergamo Attilio|conte_Attilio Monza Prassede Ferrante',
    also: 'Pescarenico Egidio Gervaso Nibbio Fazio Spagna Ferrer Adda Azzecca-garbugli Venezia Lodovico',
  },
  {
    file: 'it_piacere',
    main: 'Andrea Elena Sperelli Maria Ferres Muti Delfina Roma Schifanoja Barbarella Musèllaro Francesca Rùtolo|Giannetto_Rùtolo Heathfield Ateleta',
    also: 'Ferentino Barbarisi Maria_Ferres Secinaro Ippolita Giulio Grimiti Zuccari Barberini Lord_Heathfield Clara Stephen Galeazzo Muriella Donna_Maria Elena_Muti Andrea_Sperelli Trinità Giannetto Bomminaco Ludovico Grimiti Quirinale Manuel Siena Moceto Vicomìle Goethe Londra Ferrino Bonifazio Shelley',
  },
  {
    file: 'pt_terra-lua',
    main: 'Barbicane Nicholl Maston Murchison Ardan|Miguel_Ardan Gun-Club|Gun Florida Texas Tampa|Tampa-Town Columbiad Baltimore Cambridge',
    also: "Lua Terra America Stone's-Hill Estados_Unidos Atlanta Sol Terra_da_Lua Michel|Miguel Estados-Unidos União América Long Peak Stone Hill Elphiston Morgan",
  },
  {
    file: 'pt_robur',
    main: 'Robur Phil_Evans|Evans Uncle_Prudent|Prudent Fricollin Tom_Turner|Turner Albatrós|Albatroz|Albatroz Weldon-Institute|Weldon Go-a-head|Go_a_head|Goahead Philadelphia Jem_Cip|Cip Forbes|William_T._Forbes Tapage|François_Tapage Chatam Fairmont|Fairmont_Park',
    also: 'America Pacifico Estados-Unidos Estados_Unidos Unidos Oceano Atlantico Europa Asia Africa Dahomey Paris Caspio Himalaya França Conquistador Nova-York York Renard Krebs Robur_o_Conquistador Al-Tapage Oceano_Pacifico',
  },
  {
    file: 'ru_karamazov',
    main: 'Алеша|Алёша Митя Иван Дмитрий Карамазов Грушенька Смердяков Катерина_Ивановна Федор_Павлович|Фёдор_Павлович Зосима Коля Ракитин Григорий Хохлакова Снегирев|Снегирёв Илюша Самсонов',
    also: 'Николай_Парфенович Петр_Ильич Дмитрий_Федорович Иван_Федорович Алексей Миусов Петр Перхотин Паисий Мокрое Марфа Красоткин Lise Калганов Федорович Алексей_Федорович Москва Ильич Феня Трифон Лягавый Илья Россия Смуров Ферапонт Христос',
  },
  {
    file: 'ru_otcy',
    main: 'Базаров Аркадий Николай_Петрович Павел_Петрович Кирсанов Одинцова|Одинцов Катя Фенечка Василий_Иванович Арина|Арина_Власьевна Анна_Сергеевна Кукшина|Кукшин Ситников Прокофьич Тимофеич',
    also: 'Евдоксия Евгений Власьевна Марьино Матвей Митя Петр|Пётр Васильевич Евгений_Васильевич Дуняша Ильич Матвей_Ильич Никольское Порфирий Платоныч Катерина Николаевич Аркадий_Николаевич Россия Москва Петербург',
  },
  {
    file: 'ru_anna',
    main: 'Левин Анна Вронский Кити Степан_Аркадьич Алексей_Александрович Каренин|Каренина Долли Облонский|Облонские Бетси Сергей_Иванович|Сергей_Иваныч Константин|Константин_Левин Николай Щербацкий|Щербацкие Дарья_Александровна Москва Лидия_Ивановна Кузьма',
    also: 'Нордстон Корсунский Аркадьевна Анна_Аркадьевна Дмитрич Петербург Константин_Дмитрич Михайловна Агафья Ласка Маша Катавасов Гриша Таня Серпуховской Яшвин Кознышев Петрицкий Сережа|Серёжа Тверская Александровна Агафья_Михайловна Кирилл Карл_Иванович Матвей',
  },
  {
    file: 'zh_hongloumeng',
    main: '宝玉 贾母 凤姐 袭人 王夫人 宝钗 贾政 贾琏 平儿 黛玉 薛姨妈 紫鹃 贾珍 李纨 晴雯 湘云 刘姥姥 尤氏 薛蟠 邢夫人 香菱 探春 贾蓉 鸳鸯 妙玉',
    also: '凤姐儿 林黛玉 麝月 贾芸',
  },
  {
    file: 'zh_sanguo',
    main: '孔明 玄德 曹操 关公 云长 张飞 孙权 吕布 赵云 魏延 司马懿 姜维 周瑜 袁绍 马超 黄忠 邓艾 张辽 庞德 鲁肃 荆州 孟获 刘表 董卓 孙策',
    also: '张郃 曹仁 徐晃 许褚 刘备',
  },
  {
    file: 'ja_wagahai',
    main: '迷亭 寒月 苦沙弥 金田 鈴木 独仙 東風 武右衛門 甘木 雪江 多々良 鼻子 三平 水島 富子 天璋院',
    also: 'すん子 とん子 アンドレア・デル・サルト 老梅 鈴木藤十郎 天道公平 越智東風 オタンチン・パレオロガス 古井武右衛門 多々良三平',
  },
  { file: 'ko_youth', main: '일복 양순 정희 동진 우일 엄영록', also: '유일복 김우일 이동진' },
];
