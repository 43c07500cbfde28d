/**
 * Ordinary German nouns of prose. German writes them with a capital as it does names, so only knowing them tells the two apart.
 * One form of each is enough: endings are taken off, and a compound is known by its last part.
 */
const nouns: ReadonlySet<string> = new Set(
  (
    'Schweigen Picknick Vermögen Gewissen Glauben Vertrauen Schreiben Wissen Leiden Denken Wiedersehen Prinzipal Director Ingenieur Assessor Rector Rektor Kommerzienrat Kommissar Nachteule Elend Genuß Morgen Sultan Kandidat Pächter Amtmann Magister Emir Squire Jemschik Truchseß Khan Gemeinderat Hausknecht ' +
    'Abbild Abend Abendessen Abenteuer Abenteurer Abfahrt Abgrund Abhang Abkunft Abreise Absatz Abscheu Abschied Abschluß Abschrift Absicht Abstand ' +
    'Absätzen Abwehr Abzug Achsel Achselzucken Acker Adel Ader Adjutant Adler Adresse Advokaten Aerzte Aeste Affe Ahnung Akademie Akt Allee Almhütte ' +
    'Almosen Altar Alters Amen Amerikaner Amme Amt Analyse Anblick Andacht Andenken Anerbieten Anfall Anfang Anfrage Anfälle Anführer Angabe ' +
    'Angehörigen Angel Angesicht Angriff Angst Anhang Anhänger Anhöhe Anker Ankertau Ankunft Anlage Anlauf Anlaß Anmut Annahme Anprall Anrecht Anrede ' +
    'Anschein Anschlag Ansicht Anspruch Ansprüche Anstalt Anstand Anstoß Anteil Antlitz Antrag Anwalt Anwesenden Anzahl Anzeige Anzug Apfel Apostel ' +
    'Apparat Appetit April Araber Arbeit Argwohn Arm Armee Armut Armuth Art Artikel Arznei Arzt Asche Asyl Atem Atemzug Athem Audienz Aufenthalt ' +
    'Aufnahme Aufruhr Aufseher Aufsicht Auftrag Aufträge Aug Ausdrücke Auskunft Ausnahme Ausruf Aussage Aussicht Austern Ausweg Autor Axt Bach Backen ' +
    'Bad Bahn Bahnhof Balken Balkon Ball Bande Bank Bann Barbar Barett Barke Baron Baronesse Baronin Bart Base Bau Bauch Bauer Baum Baß Beamte Becher ' +
    'Becken Bedienter Beeten Befehl Befehlshaber Begehr Beginn Begleiterin Begriffe Beherrscher Behörden Beichte Beil Bein Beistand Belagerer Bengel ' +
    'Beobachter Bereich Berg Bericht Beruf Beschützer Besen Besitz Besuch Betrüger Bett Bettler Beute Beutel Beweis Bewohner Bewusstsein Bewußtsein ' +
    'Bibel Bibliothek Biene Bier Bild Billet Billett Binsen Bissen Blatt Blei Bleistift Blick Blitz Blume Blut Blätter Blüte Blüthe Bock Boden Bogen ' +
    'Bohnen Boot Bote Bowle Brand Brauen Braut Brett Brief Brille Brod Brot Bruch Bruder Brunnen Brust Brut Bräutigam Brücke Brüder Brüderchen Bube ' +
    'Buch Buchstaben Bucht Bude Bug Bund Bundesgenossen Bureau Burg Bursch Busch Busen Butter Buße Bäcker Bänder Bänke Bär Bäume Börse Bücher Büchse ' +
    'Bühne Bündel Bürde Bürger Bürste Büsche Büste Champagner Chaos Charakter Chaussee Chef Chinesen Chor Christ Cigarre Cognac Comtesse Corridor ' +
    'Cousine Cultur Dach Dame Dampf Dank Dasein Datum Dauer Daumen Deck Decke Deckel Degen Demut Demuth Denkens Denker Depesche Dezember Dichtern ' +
    'Dichters Dickicht Dieb Dielen Diener Dienerin Dienst Differenz Dilettanten Diner Ding Direktor Dirne Divan Diwan Doctor Doktor Doktorin Dokument ' +
    'Dolch Domina Donner Dorf Dornen Dose Drache Drama Drittel Droschke Druck Duell Duett Duft Dukaten Dunst Durst Dutzend Dächer Dämon Dörfer Ebbe ' +
    'Ebene Echo Ecke Efeu Ehre Ehrgeiz Eiche Eid Eidechse Eier Eifer Eifersucht Eigenthum Eigentum Eiland Eile Eimer Eindrücke Einfalt Einsicht ' +
    'Einsiedler Eintritt Einvernehmen Einwohner Einzug Eis Ekel Element Elends Eltern Empfang Ende Energie Engel Enkel Enten Entsetzen Entzücken Epheu ' +
    'Epoche Erbe Erdbeben Erde Ereigniß Erfinder Erfolg Erker Erlaubniß Ernte Eroberer Erröten Ersatz Erstaunen Erwerb Erzieherin Esel Eule Europäer ' +
    'Examen Exempel Exemplar Existenz Expedition Fabel Fabrik Fackel Faden Fahne Fahrt Fall Falte Familie Farbe Faust Fauteuil Faß Februar Feder Fee ' +
    'Fehler Feind Feindin Feld Feldzug Fell Fels Fenster Ferien Fersen Fessel Fetzen Feuer Feuersbrunst Fichten Fieber Figur Filz Filzhut Finger ' +
    'Fingerspitzen Finsterniß Firma Fisch Flagge Flamme Flasche Flechten Fleck Fleisch Fleiß Flinte Florentiner Fluch Flucht Flug Flur Flusse Flut ' +
    'Fluth Fluß Fläche Flöte Flüche Flügel Folge Form Formel Forst Fortschritt Frack Frage Franken Franzose Fratze Frau Freitag Freude Freund Freundin ' +
    'Freundinnen Frevel Friede Frist Front Frosch Frost Frucht Frösche Früchte Fuchs Fund Funken Furcht Futter Fuß Fußgänger Fußspitzen Fußtritt Fächer ' +
    'Fäden Fähre Fährte Fälle Fässer Fäuste Förster Führer Fülle Fürst Fürstin Füße Gabe Gabel Galerie Galgen Galopp Gang Gans Garderobe Gardine Garten ' +
    'Gasse Gast Gasthaus Gasthof Gatte Gattin Gaul Gebell Gebet Gebiet Gebieterin Gebirge Gebote Geburt Geburtstag Gebärde Gebäude Gebüsch Gedanke ' +
    'Gedicht Gedränge Geduld Gedächtniß Gefahr Gefangene Gefangener Gefecht Gefolge Gefährte Gefährtin Gefäß Gefühl Gegend Gegenstand Gegenstände ' +
    'Gegenwart Gegner Geheimniß Geheul Gehirn Gehöft Gehölz Gehör Geige Geiger Geist Geiß Geißbock Geißen Geißlein Geld Geleit Gelächter Geländer ' +
    'Gelübde Gemach Gemahl Gemahlin Gemeinde Gemisch Gemurmel Gemächer Gemälde Gemüse Gemüt Gemüth Gendarm General Generation Genie Genius Gentleman ' +
    'Genusses Genuß Gepäck Gericht Geruch Geräusch Gerücht Gesandten Gesang Geschenk Geschichte Geschick Geschirr Geschlecht Geschmack Geschosse ' +
    'Geschoß Geschrei Geschwirr Geschwister Geschwätz Geschäft Geschöpf Gesell Gesetz Gesicht Gesindel Gespenst Gespräch Gestalt Geste Gestein Gestell ' +
    'Gesträuch Geständniß Getränk Getöse Getümmel Gewalt Gewand Gewebe Gewehr Gewicht Gewinn Gewirr Gewissens Gewissensbisse Gewitter Gewänder Gewässer ' +
    'Gewölbe Gewölk Gewühl Giebel Gift Gipfel Gitter Glanz Glas Glaubens Glied Glocke Glut Gluth Gläser Gläubigen Gläubiger Glück Glückwünsche Gnade ' +
    'Gold Gondel Gott Gouvernante Grab Graf Gras Grashalm Grausen Grazie Greis Grenze Greuel Grieche Griffel Grille Grimm Grinsen Groll Grube Grund ' +
    'Gruppe Gruß Gräben Gräber Gräfin Größe Gründe Gulden Gunst Gymnasium Gängen Gänse Gärten Gärtner Gäste Gönner Götter Göttin Gürtel Güte Güter Haar ' +
    'Habsucht Hacke Hafen Haft Hagel Haide Haken Halbdunkel Halle Hals Halsbinde Hammer Hand Handel Handvoll Hang Harfe Harmonie Harnisch Hase Hasses ' +
    'Haube Hauch Haufe Haupt Haus Hausfrau Hausgenossen Haushalt Hausmeister Haustür Haut Haß Hecke Heer Heerde Heft Heide Heil Heiligtum Heimat ' +
    'Heimkehr Heimweh Heirat Held Helfer Helm Hemd Henker Herbst Herd Herkunft Herr Herrin Herrscher Herrschsucht Herz Herzeleid Herzog Herzogin Heu ' +
    'Heuboden Heuchelei Hexe Hilfe Himmel Himmelreich Hinsicht Hinterhalt Hirn Hirsch Hirschfänger Hirt Hirtin Hitze Hof Hohn Holz Honig Horde Horizont ' +
    'Horn Hosen Hotel Hufen Huhn Huld Humor Hund Hunderte Hunger Hut Hypothese Hälfte Hände Händel Händler Härte Häupten Häupter Häuser Höfe Höhe Höhle ' +
    'Hölle Hörner Hüfte Hügel Hühner Hülfe Hülle Hütte Ideal Idee Igel Illusion Indianer Individuum Inhalt Insassen Insel Inspector Instinkt Instrument ' +
    'Interesse Ironie Irrthum Irrtum Jacke Jagd Jagdschloß Jahr Jahrhundert Jammer Januar Joch Jubel Jude Jugend Juli Jungfer Juni Junker Jurist Jäger ' +
    'Kaffee Kahn Kaiser Kaiserin Kalb Kamele Kamerad Kamin Kamm Kampf Kanne Kanone Kanzler Kanäle Kapelle Kapital Kapitän Kappe Kapsel Karawane Karren ' +
    'Karte Kartoffeln Kaserne Kasse Kastanien Kaste Katastrophe Kater Katze Kauf Kavalier Kehle Keim Kelch Keller Kellner Kenner Kenntniß Kerker Kerl ' +
    'Kern Kerze Kessel Kette Ketzer Kichern Kies Kind Kinn Kirche Kirchhof Kissen Kiste Kittel Klage Klasse Klauen Klavier Kleid Kleinod Klima Klingel ' +
    'Klippen Kloster Kluft Kläger Klängen Knabe Knall Knecht Knie Knopf Knospen Knoten Knöchel Knöpfen Koch Koffer Kohl Kollegen Kommando Kompliment ' +
    'Komtesse Komödie Konzert Kopf Kopfnicken Kopfschütteln Korb Korn Korridor Kost Kostüm Kraft Kragen Krallen Kranz Kraut Kreide Kreis Kreuz Krieg ' +
    'Kriegsrat Kritik Krone Krug Kräfte Krähen Krämer Kränze Kräuter Krücke Krüppel Kugel Kuh Kultur Kummer Kunde Kundschafter Kunst Kuppeln Kur ' +
    'Kurfürst Kutsche Kutscher Kuß Käfer Käfig Kälte Kämpfe Kämpfer Käse Käufer Köchin König Königin Köpfe Körbe Körper Küche Kühe Künste Künstler ' +
    'Künstlerin Kürze Küste Laboratorium Labyrinth Lage Lager Lakaien Lamm Lampe Land Landrat Lanze Lappen Larve Last Latein Laterne Laub Lauf Laune ' +
    'Leben Lebensart Lebewohl Lebtag Leder Lehm Lehne Lehrer Lehrerin Lehrling Leib Leiche Leichnam Leidens Leiter Lenz Leser Leuchter Leute Leutnant ' +
    'Licht Lider Liebenden Liebhaber Lied Lieutenant Lilie Linden Linie Linnen Lippe List Litanei Literatur Lob Loch Locke Loge Logik Lohn Loos Luft ' +
    'Luftzug Lump Lust Luxus Lächeln Läden Länder Länge Lärm Läufer Löcher Löffel Löwe Lücke Lüfte Lüge Lügner Magd Magen Mahl Mai Majestät Major Male ' +
    'Maler Mama Mamsell Mangel Manieren Mann Mantel Mantille Manuskript Mappe Mark Markt Marsch Marter Maschine Maske Masse Mast Material Mathematik ' +
    'Mauer Maul Maurer Maus Maße Meer Mehl Meile Meister Melancholie Melodie Menge Mensch Menschenalter Messer Metall Methode Miene Milch Militär ' +
    'Million Millionär Minister Ministerialassessor Minute Mission Mitleid Mittag Mittagessen Mitte Mittel Mißtrauen Mode Moment Monat Mond Moor Moos ' +
    'Moral Mord Morgens Moschee Motiv Mund Murmeln Muse Museum Musik Musikanten Muskeln Muster Mut Muth Mutter Muße Mächte Mädel Mägde Mähne Männer ' +
    'Märtyrer März Mäuler Mäuse Möbel Mönche Mörder Mühe Mühle Müller Münze Mütter Mütze Nachbar Nachbarin Nachfolger Nachricht Nachsicht Nacht ' +
    'Nachtigall Nacken Nadel Nagel Name Narr Nase Nation Natter Natur Nebel Nebenbuhler Neffe Neger Neid Nerven Nest Netz Neugier Nichte Nische Norden ' +
    'Not Notiz November Nummer Nutzen Nächte Nägel Nähe Närrin Nüsse Nüstern Obdach Oberförster Oberst Obhut Ocean Ochsen Ofen Offizier Oheim Ohnmacht ' +
    'Ohr Ohrfeige Oktober Oma Onkel Opa Oper Operation Opfer Orden Ordre Organ Organisation Orgel Orient Original Ort Osten Paare Pack Paket Palais ' +
    'Palast Palmen Paläste Pantoffeln Papa Papagei Papier Pappeln Papst Paradies Pariser Park Parlament Partei Partie Passagiere Pastete Pastor Pathos ' +
    'Patrioten Pause Pavillon Paß Pedant Peitsche Pelz Pension Pergament Periode Perle Perser Person Perücke Pfad Pfanne Pfarrer Pfarrhaus Pfau Pfeife ' +
    'Pfeil Pferd Pflanze Pflaster Pflicht Pforte Pfosten Pfote Phantasie Philister Philosoph Philosophie Phrase Pinsel Pistole Plan Planken Platte ' +
    'Platz Plebejer Pläne Plätze Podium Poesie Polen Politik Polizei Polster Portal Porträt Possen Post Pracht Praxis Prediger Predigt Preis Priester ' +
    'Prinz Prinzessin Prinzeß Prinzip Probe Problem Professor Profil Promenade Prophet Prosa Provinz Prozeß Präsident Prügel Psychologie Publikum Puls ' +
    'Pult Pulver Punkt Punsch Puppe Purpur Putz Pöbel Qual Qualm Quecksilber Quell Rabe Race Rache Rad Rahmen Rand Ranges Rappen Rasen Rasse Rast Rat ' +
    'Rath Ratte Raub Rauch Raum Raupe Rausch Rede Redner Regel Regen Regiment Reichthum Reichtum Reihe Reise Reisender Reiter Reiz Religion Rentmeister ' +
    'Residenz Respect Respekt Rest Resultat Retter Reue Revolution Revolver Richter Riegel Riese Rinde Rinder Ring Rippen Ritter Rittmeister Rock Rohr ' +
    'Rolle Roman Romantik Rose Rosse Roß Ruck Ruder Ruf Ruh Ruhm Ruine Rum Russen Räder Räthsel Rätsel Räuber Räume Röcke Röhren Römer Röte Rücken ' +
    'Rückkehr Rücksicht Rückweg Rückzug Saal Sache Sack Saft Saiten Salon Salz Sand Sarg Sattel Satz Saum Scene Schaar Schachtel Schaf Schafe Schal ' +
    'Schall Scham Schande Schanzen Schar Schatten Schatz Schauder Schauer Schaufel Schaum Schauspielerin Scheibe Scheik Schein Scheitel Schelm Schemel ' +
    'Schenke Schere Scherz Schicksal Schiff Schild Schimmer Schinken Schirm Schlacht Schlaf Schlag Schlange Schleife Schlitten Schlosse Schloßhof ' +
    'Schlucht Schluck Schlummer Schlusse Schluß Schläfe Schläge Schlösser Schlüssel Schlüsselbund Schmach Schmerz Schmied Schmuck Schmutz Schnabel ' +
    'Schnauze Schnee Schneider Schnur Schnüren Schopf Schoße Schrank Schrauben Schreck Schrei Schreibens Schreiber Schrift Schritte Schublade Schuft ' +
    'Schuh Schulden Schule Schulmeister Schulter Schulze Schurke Schuster Schutt Schutz Schuß Schwager Schwalben Schwanz Schwarm Schweif Schweigens ' +
    'Schweine Schweiß Schwert Schwester Schwindel Schwunge Schwäche Schwägerin Schädel Schäfer Schärfe Schärpe Schätze Schöpfer Schüler Schürze Schüsse ' +
    'Schüssel Secunden See Seefahrer Seele Segel Segen Sehnsucht Seil Seite Sekretär Sekunde Selbstsucht Senat Senator Senn Sensation September ' +
    'Serviette Sessel Seufzer Shawl Sieg Siegel Signal Silbe Sinn Sitte Situation Sitz Skandal Sklave Sklavin Sofa Sohn Soldat Sommer Sommermorgen ' +
    'Sonne Sonntag Sorge Sorgfalt Sorte Spalte Spanier Spaten Spatzen Spaß Speer Speise Spekulation Sphäre Spiegel Spiel Spinne Spion Spitze Sporen ' +
    'Spott Sprache Sprechenden Sprecher Spruch Sprünge Spur Staat Stab Stachel Stadium Stadt Stadtleute Stahl Stall Stamm Stande Stange Station Statue ' +
    'Staub Staunen Stechschritt Stein Stelle Stengel Steppe Stern Steuer Stich Stiefel Stiel Stiftsdame Stil Stillschweigen Stimme Stirn Stock Stoff ' +
    'Storch Stoß Strafe Strahl Strand Strapazen Strauß Straße Streich Streifen Streit Strick Stroh Strohhut Strom Ströme Strümpfe Stube Student Studien ' +
    'Studium Stufe Stuhl Stunde Sturm Städte Ställe Stämme Stärke Stätte Stöhnen Stöße Stück Stühle Stürme Stütze Subjekt Sultans Summe Sumpf ' +
    'Superintendent Suppe Sympathie Symptome System Szene Säbel Säcke Säle Sänger Sängerin Sätze Säule Söhne Süden Sühne Sünde Sünder Tabak Tadel Tafel ' +
    'Tag Taille Takt Tal Talent Tannen Tante Tanz Tapeten Tasche Tasse Tasten Tau Taube Taufe Taumel Tausch Technik Tee Teich Teil Teilnahme Teilnehmer ' +
    'Telegramm Teller Tempel Temperament Teppich Termin Terrain Testament Teufel Text Thal Thau Theater Thee Theil Theilnahme Thema Theologie Theorie ' +
    'Thier Thor Thron Thräne Thurm Thäler Thür Tier Tiger Tinte Tisch Titel Tochter Tod Todten Toilette Ton Topf Tor Trab Tracht Tragödie Transport ' +
    'Trauben Trauer Traum Treppe Triebe Tritte Triumph Trommeln Trompete Tropf Tropfen Trost Truhe Trunk Trupp Träger Träne Träume Träumer Träumereien ' +
    'Trümmer Tuch Tugend Turban Turm Typus Tyrann Tyrannei Täler Tänze Tänzer Tänzerin Tänzerinnen Töchter Tölpel Töne Tücher Tücke Tür Türken Türme ' +
    'Uebel Uebrige Ufer Uhr Umfang Umgang Umgegend Umkreis Umrisse Umsicht Umstand Umstehenden Umstände Umweg Unart Unbehagen Unfall Ungeduld Unglauben ' +
    'Unglück Ungnade Unheil Union Unkraut Unmut Unruhe Unsinn Unterricht Untertanen Unwetter Unwillen Ursache Urteil Urwald Urzeit Vase Vater Verbot ' +
    'Verbrecher Verbündeten Verdacht Verdruß Vereinigten Verfasser Verfolger Vergleich Vergnügen Verhältniß Verhör Verkehr Vermögens Vernunft Verrat ' +
    'Verräter Verräther Vers Versteck Versuch Verteidiger Vertheidiger Vertrag Vertrauens Vertreter Verwalter Verwandten Vetter Vieh Viereck Villa ' +
    'Villen Vogel Volk Vorgänge Vorgänger Vorhänge Vorliebe Vorrat Vorrecht Vorräte Vorsicht Vortrag Vorwürfe Vorzug Vorübergehenden Väter Vögel Völker ' +
    'Wache Waffe Wagen Wahl Wahn Wahrsager Wahrsagerin Waise Wald Waldweg Wall Walzer Wand Wanderer Wange Wappen Ware Wasser Wechsel Wege Wegs Wehmut ' +
    'Wehr Weib Weide Weiher Weile Wein Weise Welle Welt Werk Werkstatt Werthe Wesen Weste Wetter Widerhall Widerstand Widerwillen Wiedersehens Wiege ' +
    'Wiese Wildniß Wille Willkür Wimpern Wind Wink Winkel Winter Wipfel Wirbel Wirt Wirth Wirthin Wirtin Wissens Witwe Witz Woche Wogen Wohlbefinden ' +
    'Wohlstand Wohltat Wohlwollen Wolf Wolke Wonne Wort Wunde Wunder Wunsch Wurf Wurm Wurzel Wut Wuth Wächter Wälder Wällen Wände Wärme Wärterin Wäsche ' +
    'Wölfe Würfel Wüste Zahl Zahn Zauber Zaun Zehen Zeile Zeit Zeitalter Zeitlang Zelle Zelt Zepter Zeremonie Zettel Zeug Zicklein Ziege Ziegen Ziel ' +
    'Zigarre Zigeuner Zigeunerin Zimmer Zinne Zinsen Zipfel Zither Zoll Zorn Zucht Zucker Zufall Zuflucht Zug Zugang Zuhörer Zukunft Zunge Zuruf ' +
    'Zusammenkunft Zuschauer Zustand Zuständen Zutritt Zuversicht Zweck Zweifel Zweig Zwerg Zwieback Zähne Züge Zügel Äcker Ärmel Ärzte Ästen Übermacht'
  ).split(' '),
);

const endings = ['n', 'en', 'e', 'er', 'ern', 's', 'es', 'ns', 'in', 'innen'];
const suffixes = /(?:ung|heit|keit|schaft|ität|nis|niß|tum|thum|chen|lein|ismus|erei|ling)(?:e|en|s|es|er|n)?$/u;

/** A noun of the list, in any of its forms: `Nächte`, `Köchinnen`. */
export function isGermanNoun(word: string): boolean {
  if (nouns.has(word)) return true;
  return endings.some((ending) => word.endsWith(ending) && nouns.has(word.slice(0, -ending.length)));
}

/** Made of ordinary parts: `Heuboden`, `Freundlichkeit`. Many a surname is too: `Hartmann`, `Rosenthal`. */
export function looksLikeGermanNoun(word: string): boolean {
  if (suffixes.test(word)) return true;
  for (let at = 3; at <= word.length - 4; at++) {
    const last = word.slice(at);
    if (isGermanNoun(last.charAt(0).toUpperCase() + last.slice(1))) return true;
  }
  return false;
}
